"""Names of CNTK's API whose turn has not come."""


def not_there(name, what='is not there yet'):
    """The error of a name that waits; docs/status.md lists them."""
    return NotImplementedError('{} {}, see docs/status.md'.format(name, what))
