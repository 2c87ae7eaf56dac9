"""What a sweep is, read and written through Optuna's storage."""
