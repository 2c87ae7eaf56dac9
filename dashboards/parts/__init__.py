"""What several views are made of."""
