"""The command line: one file per command, and the only room that prints or exits."""
