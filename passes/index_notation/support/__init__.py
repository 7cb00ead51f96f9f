"""What passes of index notation share."""
