"""The notation of statements and schedules: tokens, parsers, checks."""
