"""The former name of `verger.fetching.aiohttp_transport`, for one version."""

from verger.lazy import moved

__getattr__ = moved(__name__, "verger.fetching.aiohttp_transport")
