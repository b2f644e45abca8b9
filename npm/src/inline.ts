// The package in browsers, workers and bundles: the core is in the script, so that it starts at once,
// also from a folder, and without a request.

import base64 from "#wasm-base64";
import { start } from "./memory.js";

start(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
