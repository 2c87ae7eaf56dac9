"""The search engine, and the only room that knows Ray."""
