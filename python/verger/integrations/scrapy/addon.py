"""The add-on: one line of settings that replaces Scrapy's middleware with verger's."""

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from verger.integrations.scrapy.middleware import VergerRobotsTxtMiddleware
from verger.integrations.scrapy.parser import VergerRobotParser

MIDDLEWARES = "DOWNLOADER_MIDDLEWARES"
USUAL_PLACE = 100


class VergerAddon:
    """Replaces the middleware in its place, and the parser; does not set `ROBOTSTXT_OBEY`."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Change the settings of a crawler before it is created."""
        place = order_of(RobotsTxtMiddleware, settings)
        settings.set_in_component_priority_dict(MIDDLEWARES, RobotsTxtMiddleware, None)
        settings.setdefault_in_component_priority_dict(
            MIDDLEWARES, VergerRobotsTxtMiddleware, place
        )
        settings.set("ROBOTSTXT_PARSER", VergerRobotParser, "addon")


def order_of(middleware: type, settings: BaseSettings) -> int:
    """Return the order of a middleware in the project's settings, or else in Scrapy's."""
    placed = settings.get_component_priority_dict_with_base(MIDDLEWARES)
    places = [place for each, place in placed.items() if load_object(each) is middleware]
    return next((place for place in places if place is not None), USUAL_PLACE)
