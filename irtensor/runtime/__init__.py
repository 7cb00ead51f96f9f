"""Native code and memory at run time."""
