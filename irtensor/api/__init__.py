"""What a user calls: `einsum`, `compile`, schedules, lazy expressions."""
