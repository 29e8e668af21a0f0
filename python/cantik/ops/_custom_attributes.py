"""What users keep with a function."""


class CustomAttributes(dict):
    """A function's own dictionary: what is changed in it is changed in the function."""

    def __init__(self, function, values):
        super().__init__(values)
        self._function = function

    def _kept(method):
        def changed(self, *args, **kwargs):
            result = getattr(dict, method)(self, *args, **kwargs)
            self._function._set_custom_attributes(dict(self))
            return result

        changed.__name__ = method
        return changed

    __setitem__, __delitem__, clear, pop, popitem, setdefault, update = map(
        _kept, ('__setitem__', '__delitem__', 'clear', 'pop', 'popitem', 'setdefault', 'update')
    )
    del _kept
