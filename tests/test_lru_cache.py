"""What is kept in memory as long as there is room."""

from verger.lru_cache import LruCache


def test_room_is_bounded() -> None:
    """What was asked for longest ago is let go of."""
    kept: LruCache[int] = LruCache(50)
    for number in range(100):
        kept.put(f"h{number}", number, 5)
        kept.get("h0")

    assert 10 == len(kept)
    assert [0, None, 99] == [kept.get(name) for name in ("h0", "h1", "h99")]


def test_what_is_kept_again_costs_once() -> None:
    """The cost of what had the name before is gone with it."""
    kept: LruCache[str] = LruCache(10)
    for cost in (9, 8, 7):
        kept.put("a", "x", cost)
    kept.put("b", "y", 3)

    assert ["x", "y"] == [kept.get("a"), kept.get("b")]


def test_what_fits_nowhere_is_returned_all_the_same() -> None:
    """It is not kept, pushes nothing out but what had its name, and whoever made it has it."""
    kept: LruCache[str] = LruCache(2)
    kept.put("a", "before", 1)
    kept.put("b", "other", 1)

    assert "x" == kept.put("a", "x", 3)
    assert [None, "other"] == [kept.get("a"), kept.get("b")]


def test_what_is_discarded_costs_nothing() -> None:
    """Its room is free again; what is not kept can be discarded, too."""
    kept: LruCache[str] = LruCache(2)
    kept.put("a", "x", 2)
    kept.discard("a")
    kept.discard("a")
    kept.put("b", "y", 2)

    assert [None, "y"] == [kept.get("a"), kept.get("b")]
