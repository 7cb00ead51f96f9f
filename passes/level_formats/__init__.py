"""What the code of level formats has in common: fibers, lists, writers of results and workspaces."""
