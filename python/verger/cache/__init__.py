"""Stores, each in its own module that is loaded on first use.

`verger.cache.memory.MemoryStore`, `verger.cache.sqlite.SqliteStore` and
`verger.cache.redis.RedisStore` implement `verger.cache.store.Store`. Nothing is imported here, so
crawlers without a store load none.
"""

__all__: list[str] = []

_MODULES = ("existing", "export", "memory", "purging", "redis", "sqlite", "store")


def __getattr__(name: str) -> object:
    from verger.later import load_attribute

    return load_attribute(globals(), {}, name, _MODULES)


def __dir__() -> list[str]:
    from verger.later import public_names

    return public_names(globals(), _MODULES)
