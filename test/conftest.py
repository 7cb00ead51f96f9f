"""Settings of every Python test."""

import os

from hypothesis import settings

# A run that decides whether a change lands draws the same examples each time; other runs look further.
settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
