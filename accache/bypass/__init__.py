"""Which loads of a kernel should bypass the L1 cache: traffic in, decisions out; nothing of PTX or caches."""
