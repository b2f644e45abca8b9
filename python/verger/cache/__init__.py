"""Stores, each in a module of its own that is loaded when it is asked for.

`verger.cache.memory.MemoryStore`, `verger.cache.sqlite.SqliteStore` and
`verger.cache.redis.RedisStore` keep what `verger.cache.store.Store` promises. Nothing is imported
here: a crawler without a store pays for none.
"""
