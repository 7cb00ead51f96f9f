"""What the passes in this folder's parent share."""
