"""The work that is done beside the calls: each job idempotent, bounded, resumable, and with a report."""
