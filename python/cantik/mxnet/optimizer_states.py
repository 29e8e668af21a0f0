"""Files of an optimizer's states: a dictionary from a parameter's number or name to arrays, numbers, or
tuples and lists of them.

The format is MXNet's, which is a pickle, so that both systems read both files. A pickle may name any function
and have it called. The reader here knows the few instructions that such a file needs and two types by their
names; it imports and calls nothing.
"""

from __future__ import annotations

import io
import pickletools
import struct
from typing import Any

import numpy as np

from .base import MXNetError
from .ndarray.array import NDArray
from .ndarray.creation import array_bytes, array_of

DEEPEST = 8  # levels of tuples and lists in each other; MXNet's optimizers need two

# ---- reading


class _Name:
    """A class as the file names it."""

    def __init__(self, text):
        self.text = text


_ARRAY = _Name('mxnet.ndarray.ndarray NDArray')
_BYTES = _Name('builtins bytearray')
_ENCODE = _Name('_codecs encode')
_KNOWN = {
    n.text: n
    for n in (_ARRAY, _BYTES, _ENCODE, _Name('mxnet.ndarray NDArray'), _Name('__builtin__ bytearray'))
}
_KNOWN['mxnet.ndarray NDArray'], _KNOWN['__builtin__ bytearray'] = _ARRAY, _BYTES


class _Array:
    """An array before its content has been read."""

    content = None


def _refuse(why):
    raise MXNetError(f'this is no file of optimizer states: {why}')


class _Machine:
    """Runs the instructions of one file."""

    def __init__(self):
        self.stack, self.marks, self.memo = (
            [],
            [],
            {},
        )  # marks: where the operands of an instruction of many begin

    def pop(self, kind=None):
        if len(self.stack) == (self.marks[-1] if self.marks else 0):
            _refuse('an instruction lacks its operand')
        top = self.stack.pop()
        if kind is not None and not isinstance(top, kind):
            _refuse(f'an instruction got {type(top).__name__} for {kind.__name__}')
        return top

    def top(self, kind):
        value = self.pop(kind)
        self.stack.append(value)
        return value

    def upto_mark(self):
        if not self.marks:
            _refuse('an instruction lacks its mark')
        begin = self.marks.pop()
        values = self.stack[begin:]
        del self.stack[begin:]
        return values

    def name(self, text):
        if text not in _KNOWN:
            _refuse('it names {}, and holds more than arrays and numbers'.format(text.replace(' ', '.')))
        self.stack.append(_KNOWN[text])

    def made(self):
        """REDUCE: an array without content, or the bytes of one."""
        arguments, what = self.pop(tuple), self.pop(_Name)
        if what is _ARRAY and arguments == (None,):
            return _Array()
        if what is _BYTES and len(arguments) == 1 and isinstance(arguments[0], bytes):
            return arguments[0]
        if what is _BYTES and arguments == ():
            return b''
        if (
            what is _ENCODE
            and len(arguments) == 2
            and isinstance(arguments[0], str)
            and arguments[1] == 'latin1'
        ):
            return _encoded(arguments[0])
        if (
            what is _BYTES
            and len(arguments) == 2
            and isinstance(arguments[0], str)
            and arguments[1] == 'latin-1'
        ):
            return _encoded(arguments[0])
        _refuse('{} with other arguments than an array has'.format(what.text.replace(' ', '.')))

    def build(self):
        """BUILD: the content of an array."""
        given, array = self.pop(dict), self.top(_Array)
        if list(given) != ['handle'] or not isinstance(given['handle'], (bytes, type(None))):
            _refuse(f'the content of an array is {sorted(map(str, given))!r}')
        if given['handle'] is None:
            _refuse('an array without numbers')
        array.content = given['handle']

    def put_items(self, pairs):
        if len(pairs) % 2:
            _refuse('a key without a value')
        into = self.top(dict)
        for key, value in zip(pairs[::2], pairs[1::2]):
            if type(key) not in (int, str):
                _refuse(f'a key is {type(key).__name__}')
            into[key] = value

    def run(self, content):
        for op, argument, _ in pickletools.genops(io.BytesIO(content)):
            name = op.name
            if name in _CONSTANTS:
                self.stack.append(_CONSTANTS[name]())
            elif name in _VALUES:
                self.stack.append(bytes(argument) if name == 'BYTEARRAY8' else argument)
            elif name in _TUPLES:
                self.stack.append(tuple([self.pop() for _ in range(_TUPLES[name])][::-1]))
            elif name in ('MEMOIZE', 'PUT', 'BINPUT', 'LONG_BINPUT'):
                value = self.pop()
                self.memo[len(self.memo) if name == 'MEMOIZE' else argument] = value
                self.stack.append(value)
            elif name in ('GET', 'BINGET', 'LONG_BINGET'):
                if argument not in self.memo:
                    _refuse('it asks for an object that it has not told of')
                self.stack.append(self.memo[argument])
            elif name == 'MARK':
                self.marks.append(len(self.stack))
            elif name == 'TUPLE':
                self.stack.append(tuple(self.upto_mark()))
            elif name == 'SETITEM':
                value, key = self.pop(), self.pop()
                self.put_items([key, value])
            elif name == 'SETITEMS':
                self.put_items(self.upto_mark())
            elif name == 'APPEND':
                value = self.pop()
                self.top(list).append(value)
            elif name == 'APPENDS':
                values = self.upto_mark()
                self.top(list).extend(values)
            elif name == 'GLOBAL':
                self.name(argument)
            elif name == 'STACK_GLOBAL':
                member, module = self.pop(str), self.pop(str)
                self.name(f'{module} {member}')
            elif name == 'REDUCE':
                self.stack.append(self.made())
            elif name == 'BUILD':
                self.build()
            elif name == 'STOP':
                return self.pop(dict)
            elif name not in ('PROTO', 'FRAME'):
                _refuse(f'it holds the instruction {name}, which no array and no number needs')
        _refuse('it ends too early')


_CONSTANTS = {
    'NONE': lambda: None,
    'NEWTRUE': lambda: True,
    'NEWFALSE': lambda: False,
    'EMPTY_DICT': dict,
    'EMPTY_LIST': list,
    'EMPTY_TUPLE': tuple,
}
_VALUES = {
    'BININT',
    'BININT1',
    'BININT2',
    'LONG1',
    'BINFLOAT',
    'SHORT_BINUNICODE',
    'BINUNICODE',
    'SHORT_BINBYTES',
    'BINBYTES',
    'BINBYTES8',
    'BYTEARRAY8',
}
_TUPLES = {'TUPLE1': 1, 'TUPLE2': 2, 'TUPLE3': 3}


def _encoded(text):
    try:
        return text.encode('latin-1')
    except UnicodeEncodeError:
        _refuse('the bytes of an array hold a letter')


def _finished(value, done, depth):
    """The value with its arrays read; `done` keeps those that the file names several times."""
    if id(value) in done:
        return done[id(value)][1]
    if depth > DEEPEST:
        _refuse(f'tuples and lists in each other are deeper than {DEEPEST} levels')
    if isinstance(value, _Array):
        if value.content is None:
            _refuse('an array without numbers')
        made = array_of(value.content, 'optimizer states')
    elif type(value) in (tuple, list):
        made = type(value)(_finished(v, done, depth + 1) for v in value)
    elif value is None or type(value) in (int, float, bool, str):
        made = value
    else:
        _refuse(
            'a state is {}'.format(
                value.text.replace(' ', '.') if isinstance(value, _Name) else type(value).__name__
            )
        )
    done[id(value)] = value, made
    return made


def read_states(content: Any) -> dict[Any, Any]:
    """The states of a file that `Updater.get_states` wrote, here or in MXNet."""
    try:
        found = _Machine().run(bytes(content))
    except (ValueError, struct.error, OverflowError, MemoryError, UnicodeError) as e:
        _refuse(e)
    done = {}
    return {key: _finished(value, done, 0) for key, value in found.items()}


# ---- writing


def _counted(short, long, content):
    return (
        short + struct.pack('<B', len(content)) + content
        if len(content) < 256
        else long + struct.pack('<I', len(content)) + content
    )


def _text(text):
    return _counted(b'\x8c', b'X', text.encode())


def _whole(number):
    if 0 <= number < 256:
        return b'K' + struct.pack('<B', number)
    if -(2**31) <= number < 2**31:
        return b'J' + struct.pack('<i', number)
    content = number.to_bytes(number.bit_length() // 8 + 1, 'little', signed=True)
    if len(content) > 255:
        raise TypeError(f'an optimizer state of {len(str(number))} digits cannot be saved')
    return b'\x8a' + struct.pack('<B', len(content)) + content


def _content(value):
    """The bytes of an array: a file of its own behind 32 or 64 bits of its length."""
    content = array_bytes(value)
    return (
        _counted(b'C', b'B', content)
        if len(content) < 2**32
        else b'\x8e' + struct.pack('<Q', len(content)) + content
    )


def _written(key, value):
    if isinstance(value, NDArray):
        return (
            b'cmxnet.ndarray.ndarray\nNDArray\nN\x85R}'
            + _text('handle')
            + b'cbuiltins\nbytearray\n'
            + _content(value)
            + b'\x85Rsb'
        )
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool):
        return {None: b'N', True: b'\x88', False: b'\x89'}[value]
    if isinstance(value, int):
        return _whole(value)
    if isinstance(value, float):
        return b'G' + struct.pack('>d', value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, tuple):
        return b'(' + b''.join(_written(key, v) for v in value) + b't'
    if isinstance(value, list):
        return b'](' + b''.join(_written(key, v) for v in value) + b'e'
    raise TypeError(
        f'the optimizer state of {key!r} holds {type(value).__name__}: arrays, numbers, texts, and tuples '
        'and lists of them can be saved'
    )


def write_states(states: Any) -> bytes:
    """The bytes of a file of these states."""
    parts = [b'\x80\x04}(']
    for key, value in states.items():
        parts += [_whole(key) if isinstance(key, int) else _text(key), _written(key, value)]
    return b''.join(parts + [b'u.'])
