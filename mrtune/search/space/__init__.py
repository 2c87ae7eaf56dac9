"""Search spaces: YAML files, checked, and what a sampler can draw from them."""

from mrtune.search.space.default import default_point
from mrtune.search.space.files import space_names
from mrtune.search.space.forecasts import Unforeseen, forecast_of
from mrtune.search.space.load import load_space
from mrtune.search.space.objective import Objective
from mrtune.search.space.outlook import Outlook, default_grace, outlook_of, plan_warnings
from mrtune.search.space.space import Budget, Pruner, Resources, Sampler, Space
from mrtune.search.space.typical import slowest, typical

__all__ = [
    "Budget",
    "Objective",
    "Outlook",
    "Pruner",
    "Resources",
    "Sampler",
    "Space",
    "Unforeseen",
    "default_grace",
    "default_point",
    "forecast_of",
    "load_space",
    "outlook_of",
    "plan_warnings",
    "slowest",
    "space_names",
    "typical",
]
