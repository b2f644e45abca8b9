"""Stores, each in its own module, so that crawlers without a store import none.

`verger.cache.sqlite.SqliteStore` and `verger.cache.redis.RedisStore` implement
`verger.cache.store.Store`.
"""
