"""The former name of `verger.cache.opening`, for one version."""

from verger.lazy import moved

__getattr__ = moved(__name__, "verger.cache.opening")
