"""What every test shares: one Hypothesis profile, the same examples on every run."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "pontoon",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("pontoon")
