"""Words that schedule steps take: those who write schedules and the passes that read them share this list."""

# What `bound` may say of an extent.
BOUND_KINDS = ("exact", "multiple")
# What becomes of stores that several turns of a parallel loop make in the same place.
RACE_STRATEGIES = ("none", "atomics", "temporary", "ignore")
# How a result's entries find their places: in lists that grow, or counted before.
ASSEMBLY_STRATEGIES = ("append", "insert")
