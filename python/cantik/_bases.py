"""Classes of the binding with mixins before them. The binding of Python 3.9 makes classes of one base only,
so mixins join a class once it is there."""


def mixed_with(*mixins):
    """A decorator: the mixins become bases before the one that the class has."""

    def join(cls):
        cls.__bases__ = mixins + cls.__bases__
        return cls

    return join


def method_of(cls):
    """A decorator: the function becomes a method of a class that a lower module defines."""

    def attach(function):
        function.__qualname__ = cls.__qualname__ + '.' + function.__name__
        setattr(cls, function.__name__, function)
        return function

    return attach
