"""What loops a kernel has: one door, behind which planners can be exchanged."""
