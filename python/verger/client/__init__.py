"""Clients: answer questions about URLs; fetch, keep and renew the robots.txt files they need.

`AsyncClient` is the engine, `Client` its synchronous wrapper, `Pacer` schedules requests.
"""

from verger.access.answer import Answer
from verger.client.aio import AsyncClient
from verger.client.events import Event
from verger.client.own_response import site_of
from verger.client.pacer import Pacer
from verger.client.site import Site
from verger.client.sync import Client

__all__ = ["Answer", "AsyncClient", "Client", "Event", "Pacer", "Site", "site_of"]
