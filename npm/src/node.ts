// The package in Node: the core is read from its file, at once.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { initSync } from "#wasm";

declare const __dirname: string;

initSync({ module: readFileSync(join(__dirname, "verger.wasm")) });
