"""Addresses inside the dashboard."""

from urllib.parse import quote


def study_link(name: str, page: str = "overview") -> str:
    """Return the address of a page of a study."""
    return f"/study/{quote(name, safe='')}/{page}"


def trial_link(name: str, number: int) -> str:
    """Return the address of a trial."""
    return f"{study_link(name, 'trial')}?trial={number}"
