"""How files find the user functions again that they hold."""

from .. import _cantik
from .._checks import callable_object, text

classes = {}  # (module, name) -> the class that was defined last
callbacks = {}  # op_name -> what makes a function of (inputs, name, state)


def plain(state):
    # What a file keeps as tensors are arrays here.
    if isinstance(state, dict):
        return {key: plain(value) for key, value in state.items()}
    if isinstance(state, list):
        return [plain(value) for value in state]
    return state.asarray() if isinstance(state, _cantik.NDArrayView) else state


def _read(saved, inputs, name):
    callback = callbacks.get(saved.get('op_name'))
    if callback is None:
        known = classes.get((saved.get('module'), saved.get('class')))
        if known is None:
            return None
        callback = known.deserialize
    return callback(list(inputs), name, plain(saved.get('state', {})))


_cantik.set_user_function_reader(_read)


def register_udf_deserialize_callback(op_name, callback):
    """What makes user functions of this op_name when files are loaded, in place of their class.

    Args:
        op_name (str): of the user function
        callback: called with (inputs, name, state)
    """
    text(op_name, 'op_name')
    callable_object(callback, 'callback')
    if op_name in callbacks:
        raise ValueError(
            'A callback for the UserFunction with op name {} has already been registered.'.format(op_name)
        )
    callbacks[op_name] = callback
