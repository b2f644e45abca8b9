"""Load: thousands of origins over real HTTP on loopback, beside bare aiohttp and Scrapy."""
