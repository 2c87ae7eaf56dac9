"""Room for those who find every seat taken: others move on, as far as that helps."""

from torch import Tensor


def make_room(
    options: Tensor, first_seat: Tensor, seats: Tensor, leaving: Tensor, stuck: Tensor
) -> tuple[Tensor, Tensor]:
    """Let stuck rows leave a unit too, where other rows can leave another one instead.

    `options` scores what a row may leave, float [row, unit], −inf where it may not; `seats` counts
    the holders of each seat that stay. Augmenting paths make the result a maximum matching: a row
    that is still stuck could not be helped. Few rows ever get here, so plain Python will do.
    """
    choices = [
        [unit for unit in row.argsort(descending=True).tolist() if row[unit] > float("-inf")]
        for row in options
    ]
    first, spare = first_seat.tolist(), [count - 1 for count in seats.tolist()]
    taken: dict[int, list[int]] = {}  # by seat, the rows that leave it
    result, is_stuck = leaving.tolist(), stuck.tolist()
    for row, unit in enumerate(result):
        if not is_stuck[row]:
            taken.setdefault(first[row] + unit, []).append(row)

    def settle(row: int, asked: set[int]) -> bool:
        for unit in choices[row]:
            seat = first[row] + unit
            if seat in asked:
                continue
            asked.add(seat)
            if spare[seat] > 0:
                spare[seat] -= 1
            else:
                mover = next((r for r in taken.get(seat, []) if settle(r, asked)), None)
                if mover is None:
                    continue
                taken[seat].remove(mover)
            taken.setdefault(seat, []).append(row)
            result[row] = unit
            return True
        return False

    still = [is_stuck[row] and not settle(row, set()) for row in range(len(result))]
    return leaving.new_tensor(result), stuck.new_tensor(still)
