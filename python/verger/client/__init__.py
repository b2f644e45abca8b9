"""Clients: a URL comes in, robots.txt is fetched, kept and renewed, and an answer goes out.

`AsyncClient` is the engine, `Client` its synchronous face, `Pacer` the timetable of requests.
"""

from verger.client.aio import AsyncClient
from verger.client.events import Event
from verger.client.pacer import Pacer
from verger.client.site import Answer, Site
from verger.client.sync import Client

__all__ = ["Answer", "AsyncClient", "Client", "Event", "Pacer", "Site"]
