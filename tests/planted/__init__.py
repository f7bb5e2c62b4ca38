"""Faults planted by hand, in emitted CUDA and in OpenACC C, that ``--check`` or ``--compare`` must find."""
