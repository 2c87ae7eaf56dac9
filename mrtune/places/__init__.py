"""Where the files of studies lie: folders and object stores, behind one face."""

from mrtune.places.named import place_of
from mrtune.places.place import Place
from mrtune.places.probe import check_usable, probe
from mrtune.places.trouble import FULL, told

__all__ = ["FULL", "Place", "check_usable", "place_of", "probe", "told"]
