"""The add-on: one line of settings that puts verger's middleware in the place of Scrapy's."""

from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.settings import BaseSettings

from verger.integrations.scrapy.middleware import VergerRobotsTxtMiddleware
from verger.integrations.scrapy.parser import VergerRobotParser

DOWNLOADER_MIDDLEWARES = ("DOWNLOADER_MIDDLEWARES", "DOWNLOADER_MIDDLEWARES_BASE")
USUAL_PLACE = 100


class VergerAddon:
    """Replaces the middleware where it stands, and the parser; does not turn obedience on."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Change the settings of a crawler before it is made."""
        for name in DOWNLOADER_MIDDLEWARES:
            try:
                settings.replace_in_component_priority_dict(
                    name, RobotsTxtMiddleware, VergerRobotsTxtMiddleware
                )
            except KeyError:
                continue
            break
        else:
            settings.set_in_component_priority_dict(
                "DOWNLOADER_MIDDLEWARES", VergerRobotsTxtMiddleware, USUAL_PLACE
            )
        settings.set("ROBOTSTXT_PARSER", VergerRobotParser, "addon")
