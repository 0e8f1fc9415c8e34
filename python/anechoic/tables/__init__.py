"""Tables of a campaign: held in memory, kept in Parquet, and handed out as pyarrow's."""
