"""Host C made C++, for the one .cu file that holds host and device code."""
