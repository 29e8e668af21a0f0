"""Checks that CNTK makes of its installation; nothing is needed here."""

import os

library_path = os.path.dirname(os.path.abspath(__file__))
"""The folder of the library; CNTK's programs know it as cntk.cntk_library_path."""


def cntk_check_distro_info():
    """Nothing to check."""


def cntk_check_libs():
    """Nothing to check."""
