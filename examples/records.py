"""What else does the file say? Extension records as typed values, and findings."""

import verger

ROBOTS = b"""\
User-agent: *
Crawl-delay: 2.5
Request-rate: 1/10s 0600-0845
Content-Signal: search=yes, ai-train=no
Dissallow: /private
Sitemap: https://example.com/sitemap.xml
"""


def main() -> None:
    robots = verger.parse(ROBOTS)
    agent = robots.agent("ExampleBot")
    print("delay", agent.crawl_delay, "seconds")
    print("rate at seven", agent.request_rate_at(7 * 60))
    print("may train", agent.content_signals.ai_train, "may search", agent.content_signals.search)
    print("sitemaps", *robots.sitemaps)
    for finding in robots.findings:
        print(f"line {finding.line}: {finding.message} ({finding.code})")


if __name__ == "__main__":
    main()
