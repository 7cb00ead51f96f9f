"""Level formats, a folder each: how their arrays are checked, made and read back."""
