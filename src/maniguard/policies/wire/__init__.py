"""Protocols between processes: codecs and clients."""
