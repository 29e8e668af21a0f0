"""Versions: of CNTK, whose API this is, and of Cantik itself."""

__version__ = '2.7'
cantik_version = '0.1.0'
