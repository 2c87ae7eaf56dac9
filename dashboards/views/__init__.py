"""One file for each view: `info`, the numbers; `figure`, their picture; `blocks`, the page."""
