"""The `algebra` dialect: scalar operators, which every level above shares."""
