"""What papers count and compare: all programs of a statement, published searches, the order of costs. No compile
imports it."""
