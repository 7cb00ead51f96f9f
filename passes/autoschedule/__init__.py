"""The search for schedules that no other schedule beats asymptotically, whatever the data."""
