// What both measurements share: medians, and a server that compresses, as most hosts do.

import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export const BUILD = fileURLToPath(new URL("../../build/bench/", import.meta.url));
mkdirSync(BUILD, { recursive: true });

export function quantile(numbers, share) {
  return numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)];
}

export const median = (numbers) => quantile(numbers, 0.5);

export const round = (number) => Math.round(number * 10) / 10;

export function write(name, result) {
  writeFileSync(join(BUILD, name), `${JSON.stringify(result, null, 2)}\n`);
  console.table(result);
}

const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".wasm": "application/wasm",
};

/** Serves folders by the beginnings of their paths. */
export async function serve(folders) {
  const packed = new Map();
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(request.url.split("?")[0]));
    const mount = Object.keys(folders).find((each) => path.startsWith(each));
    let file = mount && join(folders[mount], path.slice(mount.length));
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!file || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    if (!packed.has(file)) packed.set(file, gzipSync(readFileSync(file), { level: 9 }));
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    response.end(packed.get(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}
