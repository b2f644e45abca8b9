"""The drop-ins of `verger.compat`, judged by the tests of their originals and beside them."""
