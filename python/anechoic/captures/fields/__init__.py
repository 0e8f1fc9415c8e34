"""What each column and key of an analysis means; tables and their reference page are made of it."""
