"""Libraries of operators: loaded at run time, their operators as Python functions with signature, help and
stub."""

from __future__ import annotations

import ast
import inspect
import os
from typing import TYPE_CHECKING, Any

from .. import _cantik
from .._checks import listed, path as path_of, text
from .functions import Function

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._types import PathLike

# What stands in signatures and stubs for an attribute of this kind, or of this role.
_KINDS = {
    'bool': 'bool',
    'int': 'int',
    'real': 'float',
    'text': 'str',
    'ints': 'Sequence[int]',
    'reals': 'Sequence[float]',
    'none': 'object',
    'axis': 'AxisLike',
    'axes': 'AxesLike',
    'shape': 'ShapeLike',
    'dtype': 'DTypeLike',
    'seed': 'int',
    'flags': 'Sequence[bool]',
}


class OperatorLibrary(list):
    """The names of a library's operators, in its order; each is an attribute too: the Python function of that
    operator. `library['relu']` is that function as well, also of an operator whose name something of the list
    has, such as `count` or `path`.

    Example:
        >>> import cantik as C
        >>> C.OperatorLibrary('built in', ['relu', 'clip'])
        <operators of built in: relu, clip>
        >>> C.OperatorLibrary('built in', ['relu']).relu([-1, 2]).eval()
        array([0., 2.], dtype=float32)
        >>> C.OperatorLibrary('built in', ['relu'])['relu']([-1, 2]).eval()
        array([0., 2.], dtype=float32)
    """

    def __init__(self, path: PathLike, names: Sequence[str]):
        super().__init__(text(name, 'the name of an operator') for name in listed(names, 'names'))
        self.path = path_of(path, 'path')
        for name in self:
            function = function_of(name)
            if not hasattr(self, function.__name__):
                setattr(self, function.__name__, function)

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        found = [name for name in self if key in (name, _python_name(name))]
        if not found:
            raise KeyError('the library has no operator {}; it has {}'.format(key, ', '.join(self)))
        return function_of(found[0])

    def __repr__(self):
        return '<operators of {}: {}>'.format(os.path.basename(self.path), ', '.join(self))

    def stub(self) -> str:
        """The text of a stub file (`.pyi`) for a module that has these functions."""
        lines = [
            'from typing import Sequence',
            '',
            'from cantik import Function',
            'from cantik._types import AxesLike, AxisLike, DTypeLike, Operand, ShapeLike',
            '',
        ]
        for name in self:
            lines += [
                f'def {_python_name(name)}{_typed(_cantik.operator(name))}:',
                '    """'
                + (function_of(name).__doc__ or '').split('\n')[0].replace('"""', "'''").replace('\\', '\\\\')
                + '"""',
                '',
            ]
        return '\n'.join(lines)


def _python_name(name):
    return name.rpartition('.')[2]


def _literal(text, otherwise=None):
    """The value of a default in a signature; names of CNTK's that stand for a choice made automatically are
    None."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return otherwise


def _takes_any(op):
    """An operator of NNVM's: keywords that it does not declare go to its parser all the same."""
    return 'mxnet' in op['names'] and any(field['name'] == 'more' for field in op['attributes'])


def _lines(keywords):
    """Keywords in one text, a line each."""
    return ''.join(
        '{}={}\n'.format(key, str(value).replace('\\', '\\\\').replace('\n', '\\n'))
        for key, value in keywords.items()
    )


def _signature(op):
    """As Python shows it. Operands without a default stand by position, as everywhere; all can be given by
    name."""
    found, given = [], False
    for p in op['parameters']:
        kind = inspect.Parameter.KEYWORD_ONLY if given else inspect.Parameter.POSITIONAL_OR_KEYWORD
        if p['variadic']:
            kind = inspect.Parameter.VAR_POSITIONAL
        default = inspect.Parameter.empty if not p['default'] or p['variadic'] else _literal(p['default'])
        found.append(inspect.Parameter(p['name'], kind, default=default))
        given = given or p['variadic']
    after = inspect.Parameter.KEYWORD_ONLY if given else inspect.Parameter.POSITIONAL_OR_KEYWORD
    found.append(inspect.Parameter('name', after, default=''))
    if _takes_any(op):
        found.append(inspect.Parameter('more', inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(found, return_annotation=Function)


def _typed(op):
    """The same as a text with types, for stubs."""
    parts = []
    for p in op['parameters']:
        field = op['attributes'][p['field']] if p['field'] >= 0 else None
        kind = 'Operand' if field is None else _KINDS[field['role'] or field['kind']]
        default = ' = ' + repr(_literal(p['default'])) if p['default'] else ''
        parts.append(
            '{}{}: {}{}'.format(
                '*' if p['variadic'] else '',
                p['name'],
                kind,
                ' | None = None' if default == ' = None' else default,
            )
        )
    return '({}) -> Function'.format(
        ', '.join([*parts, "name: str = ''", *(['**more: object'] if _takes_any(op) else [])])
    )


def _help(op):
    lines = [(op['doc'] or op['name']).strip(), '', 'Args:']
    for p in op['parameters']:
        if p['field'] < 0:
            lines.append(
                '    {}: {}'.format(
                    p['name'],
                    'variables, functions, numbers or arrays'
                    if p['variadic']
                    else 'a variable, function, number or array',
                )
            )
        else:
            field = op['attributes'][p['field']]
            lines.append(
                '    {} ({}): {}'.format(
                    p['name'],
                    (field['role'] or field['kind']).replace('text', 'str').replace('real', 'float'),
                    field['doc'],
                )
            )
    outputs = 'one output' if op['outputs'] == 1 else '{} outputs'.format(op['outputs'])
    return '\n'.join(
        [
            *lines,
            '    name (str): of the function',
            '',
            'Returns:',
            '    a function of ' + outputs,
            '',
            'An operator of ' + (op['library'] or 'Cantik') + '.',
        ]
    )


def function_of(name: str) -> Callable[..., Function]:
    """The Python function of an operator of the registry.

    Args:
        name (str): the operator

    Example:
        >>> from cantik.ops.libraries import function_of
        >>> function_of('leaky_relu')([-1, 2], 0.5).eval()
        array([-0.5,  2. ], dtype=float32)
    """
    op = _cantik.operator(name)
    signature = _signature(op)
    call_operator = _cantik.call
    operands = [p for p in op['parameters'] if p['field'] < 0]
    attributes = [(field['name'], field['default']) for field in op['attributes']]
    any_keyword = _takes_any(op)
    plain = len(operands) == 1 and not operands[0]['variadic']

    def function(*args, **kwargs):
        if plain and len(args) == 1 and not kwargs:  # the most common call
            return call_operator(name, args, tuple([default for _, default in attributes]), '')
        bound = signature.bind(*args, **kwargs).arguments
        given = []
        for p in operands:
            given.extend(bound.get(p['name'], ()) if p['variadic'] else (bound.get(p['name']),))
        values = []
        for key, default in attributes:
            values.append(
                _lines(bound['more'])
                if any_keyword and key == 'more' and 'more' in bound
                else bound.get(key, default)
            )
        return call_operator(name, tuple(given), tuple(values), bound.get('name', ''))

    function.__name__ = function.__qualname__ = _python_name(name)
    function.__module__ = 'cantik.ops'
    function.__doc__ = _help(op)
    function.__signature__ = signature
    return function


def call(op: Any, *operands: Any, name: str = '', **attributes: Any) -> Function:
    """Any operator by its name: one of a library loaded by load_operators, or a built-in one.

    Args:
        op (str): the operator
        operands: variables, functions, numbers or arrays
        name (str): of the function
        attributes: by their names; those that are not given take their defaults

    Returns:
        a function

    Example:
        >>> import cantik as C
        >>> x = C.input_variable(3)
        >>> print(C.call('clip', x, 0, 1))
        Clip(Tensor[3]) -> Tensor[3]
    """
    known = _cantik.operator(text(op, 'the operator'))['attributes']
    names = [field['name'] for field in known]
    wrong = [key for key in attributes if key not in names]
    if wrong:
        raise TypeError(
            '{} has no attribute {}; it has {}'.format(op, ', '.join(wrong), ', '.join(names) or 'none')
        )
    return _cantik.call(
        op, operands, tuple(attributes.get(field['name'], field['default']) for field in known), name
    )


def load_operators(path: PathLike) -> OperatorLibrary:
    """Loads a library of operators; docs/cpp_operators.md tells how to write one.

    All of its operators are registered, or none: a library that is broken, or newer than this Cantik, is an
    error and changes nothing. They are there for every later use of their names: in `call`, in models that
    are loaded, in other libraries. Loading it again changes nothing.

    Args:
        path (str): of the shared library

    Returns:
        the names of its operators, an OperatorLibrary: `library.swish` is the Python function of the operator
        swish
    """
    path = path_of(path, 'the library')
    return OperatorLibrary(path, _cantik.load_operators(path))


def nnvm_operators(path: PathLike) -> list[Any]:
    """Loads a library whose operators are registered as NNVM registers them, and says what it brought: what
    `mx.library.load` makes functions of.

    Such an operator takes arrays without dynamic axes (or with a batch axis, which is then their first) and
    its keywords as texts: in the order of `arguments`, whose last one, `more`, takes the others, a line
    `key=value` each: `_cantik.call('mxnet.clip', (x,), ('0', '1', ''), name)`.

    Args:
        path (str): of the shared library

    Returns:
        a list of dictionaries: name (in MXNet), operator (in Cantik), doc, inputs and arguments as lists of
        (name, type, doc), variadic (whether the last input stands for any number), outputs, visible_outputs,
        output_names, aliases
    """
    found = []
    for name in _cantik.load_operators(path_of(path, 'the library')):
        op = _cantik.operator(name)
        names = op['names']
        if 'mxnet' not in names:
            continue

        def parts_of(key, names=names):
            return [part for part in names.get(key, '').split(',') if part]

        def entry(p, names=names):
            return (
                p['name'],
                names.get('mxnet.type.' + p['name'], 'NDArray'),
                names.get('mxnet.doc.' + p['name'], ''),
            )

        inputs = [p for p in op['parameters'] if p['field'] < 0]
        arguments = [p for p in op['parameters'] if p['field'] >= 0]
        more = [
            (field['name'], 'string, optional', field['doc'])
            for field in op['attributes']
            if field['name'] == 'more'
        ]
        found.append(
            dict(
                name=names['mxnet'],
                operator=name,
                doc=op['doc'],
                inputs=[entry(p) for p in inputs],
                variadic=any(p['variadic'] for p in inputs),
                arguments=[entry(p) for p in arguments] + more,
                outputs=op['outputs'],
                visible_outputs=int(names.get('mxnet.visible_outputs', op['outputs'])),
                output_names=parts_of('mxnet.outputs'),
                aliases=parts_of('mxnet.aliases'),
            )
        )
    return found
