"""What a search would do, without doing it."""

from typing import TYPE_CHECKING, Any

from mrtune.cli import console, space_text
from mrtune.wording import duration, settings

if TYPE_CHECKING:
    from mrtune.search.space import Outlook, Space

FIRST = 5  # configurations that are shown
SAMPLE = 3.0  # seconds of training that the pace is measured on


def print_plan(
    space: "Space", outlook: "Outlook", seed: int, concurrency: int | None, as_json: bool
) -> None:
    """Print the resolved space, its cost, and the first configurations."""
    from mrtune.search.estimate import epochs_at_most, epochs_expected, first_configs, pace
    from mrtune.search.room import Machine, cores, gpus, room_here

    room = room_here(space.resources, concurrency, Machine(cores(), gpus()), share_cpus=True)
    most, expected = epochs_at_most(space), epochs_expected(space, outlook.grace)
    speed = pace(space, outlook.typical, seed, room.threads, SAMPLE)
    configs = first_configs(space, seed, FIRST)
    seconds = None if speed is None else expected / speed / room.concurrency
    if as_json:
        plan: dict[str, Any] = {
            "space": space.to_dict(),
            **outlook.to_dict(),
            "epochs_at_most": most,
            "epochs_expected": expected,
            "concurrency": room.concurrency,
            "epochs_per_s_and_trial": speed,
            "seconds": seconds,
            "first": configs,
        }
        console.print_json(plan)
        return
    out = console.stdout()
    space_text.print_space(space, outlook)
    out.print()
    cost = f"[bold]cost[/]  at most {most:g} epochs, about {expected:.0f} with early stopping"
    if speed is not None and seconds is not None:
        took = duration(seconds)
        cost += f"; {1 / speed:.2g} s an epoch here, {room.concurrency} at a time: about {took}"
    out.print(cost, soft_wrap=True)
    out.print(f"\nThe first {len(configs)} of {space.trials} configurations:")
    for place, config in enumerate(configs):
        out.print(f"  {place}  {settings(config)}", soft_wrap=True, markup=False)
