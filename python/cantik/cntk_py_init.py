"""Checks that CNTK makes of its installation; nothing is needed here."""

from __future__ import annotations

import os

library_path = os.path.dirname(os.path.abspath(__file__))
"""The folder of the library; CNTK's programs know it as cntk.cntk_library_path."""


def cntk_check_distro_info() -> None:
    """Nothing to check."""


def cntk_check_libs() -> None:
    """Nothing to check."""
