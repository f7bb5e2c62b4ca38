"""Property tests here may take as long as a busy machine makes them."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
