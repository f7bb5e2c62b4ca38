"""Cache directives that nobody wrote: subarrays found in the kernels, proposed, and decided as written ones are."""
