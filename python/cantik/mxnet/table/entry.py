"""An operator of the table: its operands, its attributes, how shapes of its parameters follow, and how it is
written in Cantik's operators."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ..base import MXNetError, as_dtype, literal, text_of

OPERATORS = {}


class Kind:
    """The type of an attribute: reads it from what a program or a file gives."""

    def __init__(self, name: str, read: Any):
        self.name, self.read = name, read

    def __call__(
        self,
        *default: Any,
        required: bool = False,
        choices: Any = None,
        least: float | None = None,
        most: float | None = None,
    ) -> Any:
        return Field(self, default[0] if default else None, required or not default, choices, least, most)


def placed(where: Any) -> str:
    """An operator and its name, for errors."""
    return '{}(name="{}")'.format(*where)


class Field:
    def __init__(self, kind: Any, default: Any, required: Any, choices: Any, least: Any, most: Any):
        self.kind, self.default, self.required, self.choices = kind, default, required, choices
        self.least, self.most = least, most

    def read(self, operator: Any, name: str, value: Any) -> Any:
        value = literal(value) if self.kind is not Text and self.kind is not DType else value
        if value is None or (isinstance(value, str) and value == 'None'):
            if self.default is None and not self.required:
                return None
        try:
            value = self.kind.read(value)
        except (TypeError, ValueError, LookupError, OverflowError, SyntaxError):
            raise MXNetError(
                f'Invalid Parameter format for {name} expect {self.kind.name} but '
                f'value={text_of(value)!r}, in operator {placed(operator)}'
            ) from None
        if self.choices and value not in self.choices:
            raise MXNetError(
                'Invalid Input: {!r}, valid values are: {}, in operator {}(attribute {})'.format(
                    value, '{' + ', '.join(map(repr, self.choices)) + '}', placed(operator), name
                )
            )
        self._check_bounds(operator, name, value)
        return value

    def _check_bounds(self, operator, name, value):
        below = self.least is not None and not value >= self.least
        if below or (self.most is not None and not value <= self.most):
            raise MXNetError(
                'value {} for Parameter {} should be {} equal to {}, in operator {}'.format(
                    value,
                    name,
                    'greater' if below else 'smaller',
                    self.least if below else self.most,
                    placed(operator),
                )
            )

    def text(self) -> str:
        if self.required:
            return f'{self.kind.name}, required'
        return '{}, optional, default={}'.format(self.kind.name, text_of(self.default) or "''")


def _int(value):
    if isinstance(value, float) and value != int(value):
        raise ValueError(value)
    return int(value)


def _bool(value):
    if isinstance(value, str):
        return {'true': True, 'false': False, '1': True, '0': False}[value.lower()]
    return bool(value)


_NUMBERS = (int, float, np.integer, np.floating)


def _shape(value):
    if isinstance(value, _NUMBERS):
        return (_int(value),)
    return tuple(None if v is None else _int(v) for v in value)


def _float(value):
    if isinstance(value, (list, tuple)):
        raise ValueError(value)
    return float(value)


Int = Kind('int', _int)
Float = Kind('float', _float)
Bool = Kind('boolean', _bool)
Shape = Kind('Shape(tuple)', _shape)
Text = Kind('string', str)
DType = Kind(
    'dtype', lambda v: None if v is None or (isinstance(v, str) and v == 'None') else as_dtype(v)
)  # NumPy's float64 == None


def _axes(v):
    if v is None:
        return v
    return _int(v) if isinstance(v, _NUMBERS) else _shape(v)


Axes = Kind('Shape or None', _axes)


MOST_OPERANDS = 1 << 16  # beyond this an attribute that counts them is damaged


def numbered(word: Any, count: Any) -> Any:
    """As many names as there are operands or results: word0, word1, ..."""
    if not 0 <= count <= MOST_OPERANDS:
        raise MXNetError(f'an operator has at most {MOST_OPERANDS} operands or results, not {count}')
    return [word + str(i) for i in range(count)]


class Attributes(dict):
    """The attributes of one use of an operator, read: by name and as members."""

    __getattr__ = dict.__getitem__


class Operator:
    """One operator. `lower(g, a, *values)` gives its values of the operands' values (see lower.py)."""

    context = None  # makes what an eager call's graph asks about
    back = None  # (a, shapes of operands, shapes of results) -> those of operands, as far as they follow
    alike = False  # whether all operands and the result have one shape
    shapes_of = None  # (a, shapes of operands) -> those of results, where Cantik's types do not say them
    batch_axis = None  # of the first operand: has to be Cantik's batch axis
    by_batch = False  # whether the first operand had better have the batch in front
    states = ()  # operands that the results behind the outputs are written into
    first_values = {}  # initializers of the variables that stand for operands which are not given
    floating = False  # whether its first operand has to have a floating point
    hidden = staticmethod(lambda a: 0)  # outputs that MXNet counts in files, though nobody sees them

    def __init__(
        self,
        name: str,
        lower: Any,
        inputs: Any,
        attributes: Any,
        outputs: Any,
        aux: Any,
        complete: Any,
        aliases: Any,
        live: Any,
        variadic: Any,
        random: Any,
        types: Any,
        doc: Any,
    ):
        self.name, self.lower, self.attributes, self.aliases, self.live = (
            name,
            lower,
            attributes,
            aliases,
            live,
        )
        self.inputs, self.outputs, self.aux = inputs, outputs, aux
        self.complete, self.variadic, self.random, self.types, self.doc = (
            complete,
            variadic,
            random,
            types,
            doc,
        )

    def read(self, given: Any, node: Any = '') -> Any:
        """The attributes from keywords or texts; those that are not given take their defaults."""
        where = (self.name, node)
        a = Attributes()
        for key, value in given.items():
            if key.startswith('__') and key.endswith('__'):
                continue
            if key not in self.attributes:
                raise MXNetError(
                    "Cannot find argument '{}', Possible Arguments:\n----------------\n{}\n, in operator "
                    "{}".format(
                        key,
                        '\n'.join(f'{n} : {f.text()}' for n, f in self.attributes.items()),
                        placed(where),
                    )
                )
            a[key] = self.attributes[key].read(where, key, value)
        for key, field in self.attributes.items():
            if key not in a:
                if field.required:
                    raise MXNetError(
                        f'Required parameter {key} of {field.kind.name} is not presented, in operator '
                        f'{placed(where)}'
                    )
                a[key] = field.default
        return a

    @cached_property
    def usual_operands(self) -> int:
        """How many operands it has where no attribute is given; 0 where that depends on one."""
        try:
            return len(self.list_inputs(Attributes({k: f.default for k, f in self.attributes.items()})))
        except (KeyError, TypeError):
            return 0

    def list_inputs(self, a: Attributes) -> Any:
        """Names of the operands: of a variadic one, as many as there are."""
        return self.inputs(a) if callable(self.inputs) else self.inputs

    def list_outputs(self, a: Attributes) -> Any:
        return self.outputs(a) if callable(self.outputs) else self.outputs

    def list_states(self, a: Attributes) -> Any:
        return self.states(a) if callable(self.states) else self.states

    def list_aux(self, a: Attributes) -> Any:
        return self.aux(a) if callable(self.aux) else self.aux

    def is_loss(self, a: Attributes) -> Any:
        """Whether its gradient is its own, whatever comes from above."""
        return self.name == 'BlockGrad'

    def key(self, a: Attributes) -> Any:
        """What two uses have to have in common to be one program."""
        return tuple((k, tuple(v) if isinstance(v, list) else v) for k, v in a.items() if k not in self.live)


def operator(
    name: str,
    inputs: Any = 'data',
    *,
    outputs: Any = ('output',),
    aux: Any = (),
    complete: Any = None,
    back: Any = None,
    alike: Any = False,
    shapes_of: Any = None,
    states: Any = (),
    batch_axis: Any = None,
    by_batch: Any = False,
    aliases: Any = (),
    live: Any = (),
    variadic: Any = None,
    random: Any = False,
    types: Any = None,
    complete_types: Any = None,
    **attributes: Any,
) -> Any:
    """Adds the decorated function as the operator `name`.

    inputs: names of the operands, or a function of the attributes that gives them; `complete(a, shapes)`
    fills in unknown shapes of operands; `back(a, shapes, results)` does so from the shapes of results;
    `alike`: operands and result have one shape; `shapes_of(a, shapes)`: shapes of results; `batch_axis`:
    which axis of the first operand has to be the batch axis of Cantik's; `by_batch`: the first operand had
    better have it in front; `states`: places of operands that the further results are written into;
    `live`: attributes that are numbers of their own in eager calls, so that another value is no other
    program; `variadic`: the attribute that counts the operands; `types(a, types)`: element types of the
    results, where it is not that of the operands; `complete_types(a, types)` fills in unknown element types
    of operands, where they do not share one.
    """

    def add(lower):
        names = inputs.split() if isinstance(inputs, str) else inputs
        if not callable(names):
            names = list(names)
        op = Operator(
            name,
            lower,
            names,
            attributes,
            list(outputs) if isinstance(outputs, tuple) else outputs,
            list(aux) if isinstance(aux, tuple) else aux,
            complete,
            tuple(aliases),
            tuple(live),
            variadic,
            random,
            types,
            lower.__doc__ or '',
        )
        op.complete_types = complete_types
        op.back, op.alike, op.shapes_of, op.states, op.batch_axis, op.by_batch = (
            back,
            alike,
            shapes_of,
            states,
            batch_axis,
            by_batch or batch_axis == 0,
        )
        for n in (name, *op.aliases):
            OPERATORS[n] = op
        return lower

    return add


def apart(*places: int, own: Any = np.float32) -> Any:
    """complete_types of an operator whose operands in these places have types of their own: places, lengths,
    conditions. The others share one. Where nothing says it, theirs is `own`, the others' float32."""

    def complete(a, known):
        shared = next((t for i, t in enumerate(known) if i not in places and t is not None), None)
        return [t or (own if i in places else shared or np.float32) for i, t in enumerate(known)]

    return complete


def describe(name: str, first_values: Any = None, hidden: Any = None, floating: bool = False) -> Any:
    """Says more of an operator: first values of its parameters, outputs that files count, whether whole
    numbers are refused."""
    op = find(name)
    if first_values:
        op.first_values = {k: {'__init__': v} for k, v in first_values.items()}
    if hidden:
        op.hidden = hidden if callable(hidden) else lambda a: hidden
    if floating:
        op.floating = True


def find(name: str) -> Any:
    """The operator of this name, or the error that names it."""
    if name in OPERATORS:
        return OPERATORS[name]
    raise MXNetError(
        f"Operator {name} is not there in Cantik's MXNet layer; docs/mxnet.md lists those that are"
    )


def functions(make: Any) -> Any:
    """named(name): what make(name) gives, made once for each operator; a library may bring another one of
    that name."""
    made = {}

    def named(name):
        """The function of this operator."""
        op = find(name)
        if name not in made or made[name][0] is not op:
            made[name] = op, make(name)
        return made[name][1]

    return named
