"""What irtensor is measured against, and how."""
