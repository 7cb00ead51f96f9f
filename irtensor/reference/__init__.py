"""Reference implementations: slow, simple, independent of the compiler."""
