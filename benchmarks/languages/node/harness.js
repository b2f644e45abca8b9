// A parser in JavaScript, asked over stdin: `node harness.js PEER FOLDER`. The questions and the
// answers are those of benchmarks/languages/protocol.py.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");

const robotsParser = require("robots-parser");

const VERSION = require("robots-parser/package.json").version;
const TOLD_NOTHING = 0x65; // "e"

let sink = null; // what is parsed ends here, so that no parsing can be left out

function main([peer, folder]) {
  if (peer !== "robots-parser" || !folder) {
    fail("harness.js robots-parser FOLDER");
  }
  const harness = new Harness(folder);
  say({ peer, version: VERSION, runtime: `Node.js ${process.versions.node}` });
  const lines = readline.createInterface({ input: process.stdin });
  lines.on("line", (line) => say(harness.replyTo(line.split(" "))));
}

function say(reply) {
  fs.writeSync(1, JSON.stringify(reply) + "\n");
}

function fail(why) {
  console.error(`error: ${why}`);
  process.exit(1);
}

class Harness {
  constructor(folder) {
    this.folder = folder;
    this.sites = new Map();
    this.contacts = null;
  }

  replyTo([question, ...words]) {
    switch (question) {
      case "parse":
        return measured(this.allContacts(), Number(words[0]), parsedOnly);
      case "contact":
        return measured(this.allContacts(), Number(words[0]), parsedAndAsked);
      case "load":
        this.site(words[0]);
        return { ns: 0, allowed: 0, answers: "" };
      case "first":
        return measured([this.site(words[0])], Number(words[1]), parsedAndAsked);
      case "answer":
        return this.answer(this.site(words[0]), Number(words[1]), Number(words[2]));
      default:
        return fail(`\`${question}\` is no question`);
    }
  }

  // Parsed and asked twice before the clock starts: what is made once is made.
  answer(site, count, passes) {
    const robots = robotsParser(site.address, site.body);
    const ask = (url) => robots.isAllowed(url, site.token);
    measured([site.urls[0]], 2, ask);
    return measured(site.urls.slice(0, count), passes, ask);
  }

  allContacts() {
    if (this.contacts === null) {
      const entries = unpacked(path.join(this.folder, "contacts.pack"));
      this.contacts = [];
      for (let at = 0; at < entries.length; at += 3) {
        this.contacts.push(siteOf(entries.slice(at, at + 3)));
      }
    }
    return this.contacts;
  }

  site(file) {
    if (!this.sites.has(file)) {
      this.sites.set(file, siteOf(unpacked(path.join(this.folder, `${file}.pack`))));
    }
    return this.sites.get(file);
  }
}

// --- the peer -------------------------------------------------------------------------------

function parsedOnly(site) {
  sink = robotsParser(site.address, site.body);
  return true;
}

function parsedAndAsked(site) {
  return robotsParser(site.address, site.body).isAllowed(site.urls[0], site.token);
}

// --- measuring ------------------------------------------------------------------------------

// What one question took, and what was answered: the answers of the last pass, and how many of
// all passes were "allowed".
function measured(items, passes, ask) {
  const answers = Buffer.alloc(items.length);
  let allowed = 0;
  const start = process.hrtime.bigint();
  for (let pass = 0; pass < passes; pass++) {
    for (let at = 0; at < items.length; at++) {
      const told = ask(items[at]);
      allowed += told === true ? 1 : 0;
      answers[at] = told === true ? 0x31 : told === false ? 0x30 : TOLD_NOTHING;
    }
  }
  const ns = Number(process.hrtime.bigint() - start);
  return { ns, allowed, answers: answers.toString("latin1") };
}

// --- inputs ---------------------------------------------------------------------------------

// A body as text, a product token, URLs, and where the file would have come from.
function siteOf([body, token, ...urls]) {
  const texts = urls.map((url) => url.toString());
  const address = new URL("/robots.txt", texts[0]).href;
  return { body: body.toString(), token: token.toString(), urls: texts, address };
}

// The entries of a pack: for each its length in decimal, a line feed, its bytes.
function unpacked(file) {
  const pack = fs.readFileSync(file);
  const entries = [];
  for (let at = 0; at < pack.length; ) {
    const head = pack.indexOf("\n", at);
    const end = head + 1 + Number(pack.toString("latin1", at, head));
    entries.push(pack.subarray(head + 1, end));
    at = end;
  }
  return entries;
}

main(process.argv.slice(2));
