"""The former name of `verger.fetching.requests_session`, for one version."""

from verger.lazy import moved

__getattr__ = moved(__name__, "verger.fetching.requests_session")
