"""The former name of `verger.client.refresh`, for one version."""

from verger.lazy import moved

__getattr__ = moved(__name__, "verger.client.refresh")
