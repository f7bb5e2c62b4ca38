"""accache: OpenACC C with the cache directive in, readable and verified CUDA C out."""

__version__ = "0.1.0"
