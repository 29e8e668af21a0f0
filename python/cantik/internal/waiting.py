"""Names of CNTK's API whose turn has not come."""


def not_there(name, what='is not there yet'):
    """The error of a name that waits; docs/status.md lists them."""
    return NotImplementedError('{} {}, see docs/status.md'.format(name, what))


def waiting(name, signature, module):
    """A function of this name and signature that raises the error."""
    namespace = {'not_there': not_there, '_name': name}
    exec(
        'def {}{}:\n    """{} is not there yet, see docs/status.md."""\n    raise not_there(_name)'.format(
            name, signature, name
        ),
        namespace,
    )
    function = namespace[name]
    function.__module__ = module
    return function
