"""How many examples a property is tried with where the usual fifty are too few. No test is here."""

from hypothesis import settings


def examples(number: int) -> settings:
    """Return the settings for so many; `make test-all` takes four times as many."""
    is_exhaustive = settings.get_current_profile_name() == "exhaustive"
    return settings(max_examples=4 * number if is_exhaustive else number)
