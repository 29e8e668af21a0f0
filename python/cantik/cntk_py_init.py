"""Checks that CNTK makes of its installation; nothing is needed here."""


def cntk_check_distro_info():
    """Nothing to check."""


def cntk_check_libs():
    """Nothing to check."""
