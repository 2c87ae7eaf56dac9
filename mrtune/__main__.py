"""`python -m mrtune`."""

from mrtune.cli.main import main

main()
