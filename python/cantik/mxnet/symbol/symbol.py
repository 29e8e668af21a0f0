"""Symbol: a graph of operators on variables, and one or more of its values."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

from .. import attribute, name as naming
from ..base import DTYPE_NUMBERS, MXNetError, NotImplementedForSymbol, as_dtype, text_of
from ..table import find
from .graph import Node, auxiliary, copied, ordered

if TYPE_CHECKING:
    from .methods import Methods as _Methods
else:
    _Methods = object  # methods.py, which needs symbols, gives its methods to the class


class Symbol(_Methods):
    """Entries of a graph: what executors compute."""

    __slots__ = ('_heads',)

    def __init__(self, heads: Any):
        self._heads = list(heads)

    # ---- what it is
    @property
    def name(self) -> None:
        return (
            self._heads[0][0].name
            if len(self._heads) == 1 or len({id(n) for n, _ in self._heads}) == 1
            else None
        )

    def __repr__(self):
        if self.name is None:
            return '<Symbol group [{}]>'.format(', '.join(n.name for n, _ in self._heads))
        return f'<Symbol {self.name}>'

    def __len__(self):
        return len(self._heads)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        if isinstance(index, str):
            places = [i for i, n in enumerate(self.list_outputs()) if n == index]
            if not places:
                raise ValueError(f'Cannot find output that matches name "{index}"')
            if len(places) > 1:
                raise ValueError(f'There are multiple outputs with name "{index}"')
            index = places[0]
        if isinstance(index, slice):
            return Group([self[i] for i in range(*index.indices(len(self)))])
        if not isinstance(index, int):
            raise TypeError('Symbol only support integer index to fetch i-th output')
        if not -len(self) <= index < len(self):
            raise IndexError(f'Index: {index} is out of bound, the symbol has {len(self)} outputs')
        return Symbol([self._heads[index]])

    def nodes(self) -> list[Any]:
        return ordered(self._heads)

    def list_arguments(self) -> list[Any]:
        nodes = self.nodes()
        aux = auxiliary(nodes)
        return [n.name for n in nodes if n.op is None and id(n) not in aux]

    def list_auxiliary_states(self) -> list[Any]:
        nodes = self.nodes()
        aux = auxiliary(nodes)
        return [n.name for n in nodes if n.op is None and id(n) in aux]

    def list_inputs(self) -> list[Any]:
        return [n.name for n in self.nodes() if n.op is None]

    def list_outputs(self) -> list[Any]:
        return [n.outputs()[i] for n, i in self._heads]

    @property
    def num_outputs(self) -> int:
        return len(self)

    def get_internals(self) -> Symbol:
        """All values of the graph."""
        return Symbol([(n, i) for n in self.nodes() for i in range(len(n.outputs()))])

    def get_children(self) -> Symbol | None:
        """The operands, or None of a variable."""
        inputs = [e for n in dict.fromkeys(n for n, _ in self._heads) for e in n.inputs]
        return Symbol(inputs) if inputs else None

    # ---- attributes
    def attr(self, key: Any) -> Any:
        if key == 'name':
            return self.name
        attrs = self._heads[0][0].attrs
        return attrs.get(key, attrs.get(f'__{key}__'))

    def list_attr(self, recursive: bool = False) -> dict[Any, Any]:
        if recursive:
            raise DeprecationWarning(
                'Symbol.list_attr with recursive=True has been deprecated. Please use attr_dict instead.'
            )
        return attribute.shown(self._heads[0][0].attrs)

    def attr_dict(self) -> dict[Any, Any]:
        """Of each node that has some, its attributes."""
        made = {}
        for n in self.nodes():
            if n.attrs:
                made[n.name] = attribute.shown(n.attrs)
        return made

    def _set_attr(self, **kwargs):
        for value in kwargs.values():
            if not isinstance(value, str):
                raise ValueError('Set Attr only accepts string values')
        node = self._heads[0][0]
        attrs = {**node.attrs, **attribute.kept(kwargs)}
        if node.op is not None:
            node.op.read(attrs, node.name)  # says what is wrong
        node.attrs.update(attrs)

    # ---- graphs from graphs
    def __call__(self, *args: Any, **kwargs: Any) -> Symbol:
        """A copy in which arguments are replaced: by position or by name."""
        name = kwargs.pop('name', None)
        if args and kwargs:
            raise TypeError(
                'compose only accept input Symbols either as positional or keyword arguments, not both'
            )
        for a in list(args) + list(kwargs.values()):
            if not isinstance(a, Symbol):
                raise TypeError('Compose expect `Symbol` as arguments')
        given = dict(zip(self.list_arguments(), args)) if args else kwargs
        unknown = [k for k in given if k not in self.list_inputs()]
        if unknown:
            raise MXNetError(
                'Keyword argument name {} not found. Candidate arguments: {}'.format(
                    unknown[0], ', '.join(self.list_arguments())
                )
            )
        heads = copied(self._heads, {k: v._heads[0] for k, v in given.items()})
        if name and len(heads) == 1 and heads[0][0].op is not None:
            heads[0][0].name = name
        return Symbol(heads)

    def __copy__(self):
        return Symbol(copied(self._heads, {}))

    def __deepcopy__(self, memo):
        return self.__copy__()

    def debug_str(self) -> str:
        """The graph, a line for each node."""
        lines = ['Symbol Outputs:'] + [f'\toutput[{i}]={n}' for i, n in enumerate(self.list_outputs())]
        for n in self.nodes():
            if n.op is None:
                lines.append(f'Variable:{n.name}')
                continue
            lines += ['-' * 20, f'Op:{n.op.name}, Name={n.name}', 'Inputs:']
            # An operator without operands has an empty line here.
            lines += [f'\targ[{i}]={m.name}({k})' for i, (m, k) in enumerate(n.inputs)] or ['']
        return '\n'.join(lines)

    def __bool__(self):
        raise NotImplementedForSymbol('__bool__', 'bool')

    def __neg__(self):
        return apply('_mul_scalar', [self], {'scalar': -1}, called='_MulScalar')

    def __abs__(self):
        return apply('abs', [self], {})

    def reshape(self, *shape: Any, **kwargs: Any) -> Symbol:
        if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
            shape = shape[0]
        return apply(
            'Reshape', [self], {'shape': tuple(kwargs.pop('shape', shape)), **kwargs}, called='reshape'
        )

    def astype(self, dtype: Any, copy: bool = True) -> Symbol:
        return apply('Cast', [self], {'dtype': dtype}, called='cast')


_STORAGE_NUMBERS = {'default': 0, 'row_sparse': 1, 'csr': 2}


def Variable(
    name: str | None,
    attr: Any = None,
    shape: Any = None,
    lr_mult: Any = None,
    wd_mult: Any = None,
    dtype: Any = None,
    init: Any = None,
    stype: str | None = None,
    **kwargs: Any,
) -> Symbol:
    """A value that is fed: data, or a parameter."""
    if not isinstance(name, str):
        raise TypeError('Expect a string for variable `name`')
    attrs = attribute.kept(attribute.current().get(attr))
    for key, value in (('shape', shape), ('lr_mult', lr_mult), ('wd_mult', wd_mult)):
        if value is not None:
            attrs[f'__{key}__'] = text_of(value)
    if stype is not None:
        attrs['__storage_type__'] = str(_STORAGE_NUMBERS[stype])
    if dtype is not None:
        attrs['__dtype__'] = str(DTYPE_NUMBERS[as_dtype(dtype)])
    if init is not None:
        attrs['__init__'] = init if isinstance(init, str) else init.dumps()
    for key, value in kwargs.items():
        if not (key.startswith('__') and key.endswith('__')):
            raise ValueError(
                f'Attribute name={key} is not supported. Additional attributes must start and end with '
                'double underscores, e.g, __yourattr__'
            )
        attrs[key] = str(value)
    return Symbol([(Node(None, name, attrs, []), 0)])


var = Variable


def Group(symbols: Any) -> Symbol:
    """Several symbols as one."""
    if not symbols or any(not isinstance(s, Symbol) for s in symbols):
        raise TypeError('Expected a list of symbols as input')
    return Symbol([h for s in symbols for h in s._heads])


def apply(
    op_name: Any,
    operands: Any,
    attrs: Any,
    name: str | None = None,
    attr: Any = None,
    called: Any = None,
    by_name: Any = None,
) -> Symbol:
    """An operator on symbols; operands that are not given become variables."""
    op = find(op_name)
    if op.variadic and op.variadic not in attrs:
        attrs = {**attrs, op.variadic: len(operands) + len(by_name or {})}
    attrs = {k: text_of(v) for k, v in attrs.items() if v is not None}
    attrs = attribute.kept({**attrs, **attribute.current().get(attr)})
    read = op.read(attrs, name or '')
    name = naming.current().get(name, (called or op_name).lower())
    names = op.list_inputs(read) + op.list_aux(read)
    if len(operands) > len(names):
        raise MXNetError(f'Operator {op.name} takes {len(names)} operands, {len(operands)} were given')
    given = dict(zip(names, operands))
    for key, value in (by_name or {}).items():
        if key in given or key not in names:
            raise MXNetError(
                "Operator {} has no operand '{}'; it takes {}".format(op.name, key, ', '.join(names))
            )
        given[key] = value
    inputs = []
    for n in names:
        if n not in given:
            inputs.append((Node(None, f'{name}_{n}', {**attrs, **op.first_values.get(n, {})}, []), 0))
            continue
        if len(given[n]._heads) != 1:
            raise MXNetError(
                f'{name}: the operand {n} is a symbol of {len(given[n])} values; one of them can be '
                'taken by [i]'
            )
        inputs.append(given[n]._heads[0])
    node = Node(op, name, attrs, inputs)
    return Symbol([(node, i) for i in range(len(op.list_outputs(read)))])


def _binary(same, scalar, reverse=None):
    def forward(self, other):
        if isinstance(other, Symbol):
            return apply(find(same).name, [self, other], {}, called=same)
        if isinstance(other, numbers.Number):
            return apply(find(scalar).name, [self], {'scalar': other}, called=scalar)
        return NotImplemented

    def backward(self, other):
        if isinstance(other, numbers.Number):
            return apply(find(reverse or scalar).name, [self], {'scalar': other}, called=reverse or scalar)
        return NotImplemented

    return forward, backward


for _name, _same, _scalar, _reverse in [
    ('add', '_Plus', '_PlusScalar', None),
    ('sub', '_Minus', '_MinusScalar', '_RMinusScalar'),
    ('mul', '_Mul', '_MulScalar', None),
    ('truediv', '_Div', '_DivScalar', '_RDivScalar'),
    ('mod', '_Mod', '_ModScalar', '_RModScalar'),
    ('pow', '_Power', '_PowerScalar', '_rpower_scalar'),
]:
    for _form, _f in zip(('__{}__', '__r{}__'), _binary(_same, _scalar, _reverse)):
        setattr(Symbol, _form.format(_name), _f)
for _name, _same, _scalar in [
    ('eq', '_equal', '_equal_scalar'),
    ('ne', '_not_equal', '_not_equal_scalar'),
    ('gt', '_greater', '_greater_scalar'),
    ('ge', '_greater_equal', '_greater_equal_scalar'),
    ('lt', '_lesser', '_lesser_scalar'),
    ('le', '_lesser_equal', '_lesser_equal_scalar'),
]:
    setattr(Symbol, f'__{_name}__', _binary(_same, _scalar)[0])
Symbol.__hash__ = object.__hash__
