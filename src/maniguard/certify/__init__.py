"""Proofs about the benchmark: what is valid, what can be done, what can be broken."""
