"""Search spaces that ship with mrtune, one file each."""
