// The same for modules of CommonJS, and for settings that name no newer libraries.

import verger = require("verger");
import crawlers = require("verger/crawlers");
import robotsParser = require("verger/robots-parser");

const robots: verger.RobotsTxt = verger.parse(new Uint16Array(), verger.DIALECTS.google);
const agent: verger.Agent = crawlers.agentOf(robots, "GPTBot");
const old: robotsParser.Robot = robotsParser("https://example.com/robots.txt", "");
const same: robotsParser.Robot = robotsParser.default("https://example.com/robots.txt", "");

export const answers: boolean[] = [agent.allowed("/"), old.isDisallowed("/"), same.isDisallowed("/")];
