"""The loads of a kernel, and PTX or programs in which some of them bypass L1."""
