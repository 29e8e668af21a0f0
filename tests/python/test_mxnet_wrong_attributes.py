"""Every attribute of every operator of the MXNet layer, with values that are none: an MXNetError, or a value
that fits after all."""

import warnings

import pytest

import cantik.mxnet as mx
from cantik.mxnet.ndarray.eager import invoke
from cantik.mxnet.table.entry import OPERATORS, Operator

WRONG = [
    'a',
    [1],
    None,
    2**70,
    -(2**70),
    2**31,
    float('nan'),
    float('inf'),
    (),
    (1, 2, 3, 4, 5, 6, 7, 8, 9),
    -1,
    0,
    1.5,
    True,
    {},
    b'x',
    '(1,',
    'None',
    '',
    'inf',
    '1e400',
]
FITTING = {'Shape(tuple)': (2, 2), 'int': 1, 'float': 1.0, 'dtype': 'float32', 'boolean': True}
TABLE = {op.name: op for op in OPERATORS.values() if isinstance(op, Operator) and not op.context}


def operands():
    ones = mx.nd.ones
    return [[ones((2, 3))], [ones((1, 2, 4, 4))] * 2, [ones((2, 3))] * 3]


def required(op):
    """The attributes that have to be there."""
    return {
        name: field.choices[0] if field.choices else FITTING.get(field.kind.name, 'x')
        for name, field in op.attributes.items()
        if field.required and name != op.variadic
    }


@pytest.mark.parametrize('name', sorted(name for name, op in TABLE.items() if op.attributes))
def test_wrong_values(name):
    op, given = TABLE[name], operands()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # numbers that are infinite in another type
        for attribute in op.attributes:
            for value in WRONG:
                for arrays in given:
                    try:
                        made = invoke(name, arrays, {**required(op), attribute: value})
                        for array in made if isinstance(made, (list, tuple)) else [made]:
                            array.asnumpy()
                    except mx.MXNetError as e:
                        assert str(e), (attribute, value)


def test_sizes_beyond_memory():
    """A result of more elements than MXNet's arrays may have is refused before there is memory for it."""
    x = mx.nd.ones((2, 3))
    for call in (
        lambda: mx.nd.tile(x, reps=(2**20, 2**20)),
        lambda: mx.nd.repeat(x, repeats=2**31),
        lambda: mx.nd.one_hot(x, depth=2**31),
        lambda: mx.nd.broadcast_to(mx.nd.ones((1, 1)), shape=(2**20, 2**20)),
        lambda: mx.nd.UpSampling(mx.nd.ones((1, 1, 2, 2)), scale=2**16, sample_type='nearest'),
    ):
        with pytest.raises(mx.MXNetError, match=r'at most 2\^31 - 1 elements'):
            call()
    with pytest.raises(mx.MXNetError, match='at most 65536 operands'):
        mx.nd.add_n(x, x, num_args=2**40)
    with pytest.raises(mx.MXNetError, match='at most 65536 operands'):
        mx.sym.split(mx.sym.Variable('x'), num_outputs=2**40)
