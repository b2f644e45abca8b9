"""Stores, each in its own module that is loaded on first use.

`verger.cache.memory.MemoryStore`, `verger.cache.sqlite.SqliteStore` and
`verger.cache.redis.RedisStore` implement `verger.cache.store.Store`. Nothing is imported here, so
crawlers without a store load none.
"""
