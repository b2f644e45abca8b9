"""The answers of verger over HTTP, for crawlers in any language: `verger serve`."""
