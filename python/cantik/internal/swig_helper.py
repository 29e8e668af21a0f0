"""What CNTK needs to turn raw results into Python's classes. Results here have their classes already."""


def map_if_possible(obj):
    """Nothing is left to do."""


def typemap(f):
    """The function itself."""
    return f
