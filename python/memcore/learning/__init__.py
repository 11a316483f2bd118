"""What can be learned from searches: traces of them, replaying these, and parameters that find more."""
