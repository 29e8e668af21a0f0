"""Where the headers, the library and the CMake package are."""

from __future__ import annotations

from pathlib import Path


def folders() -> dict[str, Path]:
    """The folders of the headers, the library and the CMake package: in the installed package, or of the tree
    that this is the build of.

    Returns:
        a dictionary with 'include', 'library' and 'cmake'

    Example:
        >>> from cantik.installation import folders
        >>> (folders()['include'] / 'cantik' / 'cantik.h').exists()
        True
    """
    package = Path(__file__).absolute().parent  # not resolved: a build folder links to the sources
    library = package if list(package.glob('libcantik.so*')) else package.parents[1] / 'src'
    return {'include': package / 'include', 'library': library, 'cmake': package / 'cmake'}
