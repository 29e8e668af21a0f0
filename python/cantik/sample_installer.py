"""CNTK's samples. Cantik's examples lie in the folder examples of its sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._waiting import not_there

if TYPE_CHECKING:
    from ._types import PathLike

__all__ = ['default_sample_dir', 'default_sample_url', 'install_samples', 'module_is_unreleased']


def module_is_unreleased() -> bool:
    """Whether this is no released version."""
    return True


def default_sample_dir() -> str:
    """Where samples would go."""
    return 'CNTK-Samples'


def default_sample_url() -> str:
    """Where samples would come from: nowhere."""
    return ''


def install_samples(url: str | None = None, directory: PathLike | None = None, quiet: bool = False) -> None:
    """There are no samples to install; Cantik's examples lie in the folder examples of its sources."""
    raise not_there('install_samples', 'has nothing to install')
