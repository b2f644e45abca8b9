// The package in Node: the core is read from its file, at once.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { start } from "./memory.js";

declare const __dirname: string;

start(readFileSync(join(__dirname, "verger.wasm")));
