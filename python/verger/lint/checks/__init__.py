"""The checks, one in each file; `verger.lint.check.all_checks` finds them."""
