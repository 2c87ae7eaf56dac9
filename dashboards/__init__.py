"""Views: one file per page or picture."""
