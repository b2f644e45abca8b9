"""One file, eight readers: where do they differ? And a dialect of your own."""

import verger

ROBOTS = b"""\
User-agent: *
Disallow: /a
Allow: /a

User-agent: examplebot

Dissallow: /b
"""


def main() -> None:
    url = "https://example.com/b"
    for name, dialect in verger.DIALECTS.items():
        decision = verger.parse(ROBOTS, dialect=dialect).decide(url, "ExampleBot")
        print(f"{name:14}  {'allowed' if decision.allowed else 'disallowed':10}  {decision.reason}")

    strict = verger.RFC9309.replace(name="strict", tie="disallow", lenient_keys=False)
    for dialect in (verger.RFC9309, strict):
        robots = verger.parse(ROBOTS, dialect=dialect)
        print(f"{dialect.name:14}  /a: {robots.decide('/a', 'OtherBot')}")


if __name__ == "__main__":
    main()
