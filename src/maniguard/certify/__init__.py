"""Proofs about the benchmark: what is sound, what can be done, what can be broken; and the making of new tasks."""

from maniguard.certify.certificate import certify, shipped, table
from maniguard.certify.play import Played, play
from maniguard.certify.report import ProofReport
from maniguard.certify.resample import resample, write_resampled
from maniguard.certify.verify import verify

__all__ = ["Played", "ProofReport", "certify", "play", "resample", "shipped", "table", "verify", "write_resampled"]
