// The types of `require("verger/robots-parser")`, which is called itself.

import own, { type Robot as OwnRobot } from "./robots-parser.js";

declare const robotsParser: typeof own & { readonly default: typeof own };

declare namespace robotsParser {
  type Robot = OwnRobot;
}

export = robotsParser;
