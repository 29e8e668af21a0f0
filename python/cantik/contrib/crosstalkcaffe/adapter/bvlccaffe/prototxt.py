"""Protobuf's text format: messages of named fields, each a number, a word, a text or a message, any number of
times."""

from __future__ import annotations

import re
from typing import Any

__all__ = ['Message', 'parsed']

_DEEPEST = 50
_TOKEN = re.compile(
    r'''\s+|\#[^\n]*|(?P<token>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_][\w.]*|'''
    r'''[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?f?|[-:;,{}<>\[\]])'''
)
_NUMBER = re.compile(r'[-+.]?\d|[-+]\.\d')
_ESCAPES = {'n': '\n', 't': '\t', 'r': '\r', '"': '"', "'": "'", '\\': '\\'}


class Message:
    """A message: for each field a list of its values, in their order.

    Example:
        >>> m = parsed('name: "net" layer { kernel_size: 3 kernel_size: 5 }')
        >>> m.one('name'), m.one('layer').all('kernel_size'), m.one('phase', 'TEST')
        ('net', [3, 5], 'TEST')
    """

    def __init__(self):
        self.fields = {}

    def all(self, name: str) -> list[Any]:
        """The values of a field."""
        return self.fields.get(name, [])

    def one(self, name: str, default: Any = None) -> Any:
        """The last value of a field, as protobuf reads a field that is there once."""
        return self.fields[name][-1] if name in self.fields else default

    def parts(self, name: str) -> list[Message]:
        """The messages in a field."""
        for found in self.all(name):
            if not isinstance(found, Message):
                raise ValueError(f'{name} has to be a message in braces, not {found!r}')
        return self.all(name)

    def part(self, name: str) -> Message:
        """The last message in a field; one without fields where there is none."""
        found = self.parts(name)
        return found[-1] if found else Message()

    def words(self, name: str) -> list[str]:
        """The texts of a field."""
        for found in self.all(name):
            if not isinstance(found, str):
                raise ValueError(f'{name} has to be a text, not {found!r}')
        return self.all(name)

    def word(self, name: str, default: str = '') -> str:
        """The last text of a field."""
        found = self.words(name)
        return found[-1] if found else default


class _Tokens:
    """The words of a text, one after the other."""

    def __init__(self, text):
        self.text, self.at, self.next = text, 0, None
        self.advance()

    def advance(self):
        token = self.next
        while self.at < len(self.text):
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                self.fail('something that is no word, number or text')
            self.at = found.end()
            if found.group('token'):
                self.next = found.group('token')
                return token
        self.next = None
        return token

    def skip(self, *tokens):
        if self.next in tokens:
            return self.advance()
        return None

    def fail(self, what):
        line = self.text.count('\n', 0, self.at) + 1
        raise ValueError(f'line {line} of the prototxt: {what}')


def parsed(text: str) -> Message:
    """The message of a text.

    Args:
        text (str): in protobuf's text format

    Returns:
        Message
    """
    tokens = _Tokens(text)
    return _message(tokens, None, 0)


def _message(tokens, end, depth):
    if depth > _DEEPEST:
        tokens.fail(f'messages in each other are deeper than {_DEEPEST} levels')
    message = Message()
    while tokens.next != end:
        name = tokens.advance()
        if name is None or not (name[0].isalpha() or name[0] == '_'):
            tokens.fail('a field was expected, not {}'.format('the end' if name is None else name))
        values = message.fields.setdefault(name, [])
        has_colon = tokens.skip(':')
        if has_colon and tokens.skip('['):
            while not tokens.skip(']'):
                values.append(_value(tokens, depth))
                tokens.skip(',')
        elif has_colon or tokens.next in ('{', '<'):
            values.append(_value(tokens, depth))
        else:
            tokens.fail('a value of {} was expected, not {}'.format(name, tokens.next or 'the end'))
        tokens.skip(',', ';')
    tokens.advance()
    return message


def _value(tokens, depth):
    token = tokens.advance()
    if token is None:
        tokens.fail('the text ends before a value')
    if token in ('{', '<'):
        return _message(tokens, '}' if token == '{' else '>', depth + 1)
    if token[0] in '"\'':
        text = _unquoted(token)
        while tokens.next and tokens.next[0] in '"\'':  # texts side by side are one
            text += _unquoted(tokens.advance())
        return text
    if _NUMBER.match(token):
        return _number(token)
    if token == '-' and tokens.next:  # -inf
        return -_value(tokens, depth)
    if token in ('true', 'false'):
        return token == 'true'
    if token in ('inf', 'infinity', 'nan'):
        return float(token)
    if not (token[0].isalpha() or token[0] == '_'):
        tokens.fail(f'a value was expected, not {token}')
    return token


def _number(token):
    try:
        return int(token)
    except ValueError:
        return float(token.rstrip('f'))


def _unquoted(token):
    return re.sub(r'\\(.)', lambda m: _ESCAPES.get(m.group(1), m.group(1)), token[1:-1])
