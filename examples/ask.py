"""May this crawler fetch these URLs? The fast path, for one file and many URLs."""

import verger

ROBOTS = b"""\
User-agent: *
Disallow: /private
Allow: /private/press/*.pdf$

User-agent: GPTBot
Disallow: /
"""

URLS = [
    "https://example.com/",
    "https://example.com/private/a",
    "https://example.com/private/press/2026.pdf",
]


def main() -> None:
    robots = verger.parse(ROBOTS, url="https://example.com/robots.txt")
    for token in ("ExampleBot", "GPTBot"):
        answers = robots.allowed_many(URLS, token)
        for url, allowed in zip(URLS, answers, strict=True):
            print(f"{token:10}  {'allowed' if allowed else 'disallowed':10}  {url}")


if __name__ == "__main__":
    main()
