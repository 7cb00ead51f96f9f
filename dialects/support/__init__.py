"""What several dialects are written with: quick operations, assembly syntax, located parsing."""
