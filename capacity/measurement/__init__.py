"""What CloudWatch says: its metrics, how they are read, and what they mean."""
