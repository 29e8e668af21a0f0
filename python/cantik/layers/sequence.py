"""Recurrences over sequences. They are not there yet, see docs/status.md."""
from ..default_options import default_override_or
from ..internal.waiting import not_there

__all__ = ['Delay', 'PastValueWindow', 'RecurrenceFrom', 'Recurrence', 'Fold', 'UnfoldFrom']


def Delay(T=1, initial_state=default_override_or(0), name=''):
    """The value T steps before. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.Delay')


def PastValueWindow(window_size, axis, go_backwards=default_override_or(False), name=''):
    """The last values of a sequence as an axis. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.PastValueWindow')


def RecurrenceFrom(step_function, go_backwards=default_override_or(False), return_full_state=False, name=''):
    """A recurrence from an initial state that is an argument. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.RecurrenceFrom')


def Recurrence(step_function, go_backwards=default_override_or(False), initial_state=default_override_or(0), return_full_state=False, name=''):
    """A recurrence over a sequence. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.Recurrence')


def Fold(folder_function, go_backwards=default_override_or(False), initial_state=default_override_or(0), return_full_state=False, name=''):
    """The last value of a recurrence. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.Fold')


def UnfoldFrom(generator_function, until_predicate=None, length_increase=1, name=''):
    """A sequence that a function makes from a state. Recurrences are not there yet, see docs/status.md."""
    raise not_there('layers.UnfoldFrom')
