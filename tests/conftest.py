"""Settings of the whole test run.

Generated cases are the same in every run, so that a failure is there for everybody;
`pytest --hypothesis-profile=default` looks for new ones.
"""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")
