"""Dated list prices, and what use costs by them."""
