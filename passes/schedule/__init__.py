"""Steps of schedules, which a user can ask for."""
