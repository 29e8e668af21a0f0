"""CNTK's samples. Cantik's examples lie in the folder examples of its sources."""

from ._waiting import not_there

__all__ = ['default_sample_dir', 'default_sample_url', 'install_samples', 'module_is_unreleased']


def module_is_unreleased():
    """Whether this is no released version."""
    return True


def default_sample_dir():
    """Where samples would go."""
    return 'CNTK-Samples'


def default_sample_url():
    """Where samples would come from: nowhere."""
    return ''


def install_samples(url=None, directory=None, quiet=False):
    """There are no samples to install; Cantik's examples lie in the folder examples of its sources."""
    raise not_there('install_samples', 'has nothing to install')
