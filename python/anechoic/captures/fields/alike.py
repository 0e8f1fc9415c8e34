"""Keys of documents that are columns of a table, where they are described."""

from anechoic.captures.fields.described import described

ALIKE = {
    "connections[]": described("connections")[1:],
    "wifi.stations[]": described("wifi/stations"),
    "wifi.cells[]": described("wifi/cells"),
    "wifi.events[]": described("wifi/events"),
    "wifi.bursts[]": described("wifi/bursts"),
    "wifi.series.rows[]": described("wifi/series"),
}
"""Where keys are columns: there each level of a key is joined to the next by `_` in a column."""
