"""What one method gains over each of the others, by the first objective."""

from collections.abc import Mapping
from dataclasses import dataclass

from dashboards.parts.grouping import LEVEL
from mrtune.metrics import Paired, holm, paired
from mrtune.study import Configuration


@dataclass(frozen=True)
class Gain:
    """What is gained over one method, on the seeds in common; more is better."""

    method: str
    paired: Paired
    p_holm: float  # corrected for all methods

    @property
    def significant(self) -> bool:
        """Whether it is more than chance."""
        return self.p_holm < LEVEL


@dataclass(frozen=True)
class Gains:
    """A method against each of the others."""

    method: str
    metric: str
    over: tuple[Gain, ...]


def gains(
    method: str, metric: str, chosen: Mapping[str, Configuration], prefix: str, unit: float
) -> Gains:
    """Compare a method with the others; a negative unit is that of what should be less."""
    seeds = {
        name: {
            trial.seed: unit * trial.metrics[prefix + metric]
            for trial in configuration.complete
            if prefix + metric in trial.metrics
        }
        for name, configuration in chosen.items()
    }
    others = [name for name in chosen if name != method]
    found = [paired(seeds[method], seeds[other]) for other in others]
    corrected = holm([of.p for of in found])
    return Gains(method, metric, tuple(map(Gain, others, found, corrected)))
