"""The live dashboard: a Dash app over all studies of a storage."""
