"""From a statement to a callable kernel: builds the IR, runs the passes, loads the code, binds the arguments."""
