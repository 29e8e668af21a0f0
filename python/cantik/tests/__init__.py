"""Helpers for tests. Tests of CNTK that lie in folders of this name are found as well, and first."""

import pkgutil


def beside_cntk(path, name):
    """The path of a package, behind the folders of CNTK's package of that name.

    Args:
        path (list): the package's `__path__`
        name (str): the package in CNTK
    """
    return [p for p in pkgutil.extend_path(path, name) if p not in path] + list(path)


__path__ = beside_cntk(__path__, 'cntk.tests')
