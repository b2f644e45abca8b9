"""Watch: what sites say over time, what of it changed, and who is told.

In: origins, again and again. Out: an archive of what was observed; news of what changed by meaning,
as text, JSON Lines, feeds and webhooks; the history of a site. Needs the extra `watch`.
"""
