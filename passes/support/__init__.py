"""What passes are written with."""
