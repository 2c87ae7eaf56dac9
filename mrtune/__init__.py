"""Hyper-parameter search for Maximum Roaming multi-task learning."""

__version__ = "0.1.0"
