"""Which line says so? A decision explains itself."""

import verger

ROBOTS = b"""\
User-agent: *
Disallow: /shop/
Allow: /shop/*/reviews
"""


def main() -> None:
    robots = verger.parse(ROBOTS)
    decision = robots.decide("https://example.com/shop/lamps/reviews?page=2", "ExampleBot")
    print(decision)
    print("because of", decision.reason, "in", decision.section)
    print("rule", decision.rule, "on line", decision.line, "beats", *decision.beaten)
    for (start, end), (at, until) in decision.matched:
        pattern = decision.rule.pattern[start:end] if decision.rule else ""
        print(f"  {pattern:10} matched {decision.target[at:until]!r}")


if __name__ == "__main__":
    main()
