"""Tests of `verger.crawlers`: which crawlers are known, and which a header names."""
