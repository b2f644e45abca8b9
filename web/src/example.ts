/** The file that is there at first: it explains the page by what it does. */

import type { Asked } from "./state";

export const EXAMPLE = `# robots.txt of a newspaper: edit it
User-agent: *
Content-Signal: search=yes, ai-input=yes, ai-train=no
Disallow: /account
Disallow: /search
Disallow: /*?sort=
Allow: /account/help
Disallow: /account/orders

# Those that collect training data
User-agent: GPTBot
User-agent: ClaudeBot
User-agent: CCBot
User-agent: Google-Extended
Allow: /press/
Disallow: /

User-agent: Googlebot
Disallow: /account
Disallow: /*.pdf$

# A trap: only rules end a group
User-agent: Bingbot
Crawl-delay: 10

User-agent: AhrefsBot
Disalow: /

Sitemap: https://news.example/sitemap.xml
`;

export const EXAMPLE_URLS = [
  "https://news.example/",
  "https://news.example/2026/11/story.html",
  "https://news.example/press/2026",
  "https://news.example/account/help",
  "https://news.example/account/orders/7",
  "https://news.example/archive?sort=date",
  "https://news.example/paper.pdf",
];

export const EXAMPLE_AGENTS = ["GPTBot", "Googlebot", "Bingbot", "Applebot", "*"];

/** What is asked about a file that was opened: the URLs of the example are those of another site. */
export function askedOf(text: string, asked: Asked): Asked {
  const isExample = asked.urls.join() === EXAMPLE_URLS.join();
  return { ...asked, before: text, urls: isExample ? ["/"] : asked.urls };
}
