"""The checks, in a module for each subject; `verger.lint.check.all_checks` finds them."""
