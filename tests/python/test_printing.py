"""Printed forms of functions: texts of CNTK 2.7."""

import numpy as np
import pytest

import cantik as C

x, y = C.input_variable(2, name='x'), C.input_variable(2, name='y')
s = C.sequence.input_variable(3, name='s')
w = C.input_variable(3, name='w')
n = C.input_variable(3, dynamic_axes=[], name='n')
p = C.parameter((2,), name='p')


@pytest.mark.parametrize(
    'function, text',
    [
        # values without a batch axis
        (n * 2, 'ElementTimes(n: ParameterTensor[3]) -> ParameterTensor[3]'),
        (p * 2, 'ElementTimes() -> ParameterTensor[2]'),
        (C.reduce_sum(n), 'ReduceElements(n: ParameterTensor[3]) -> np.float32'),
        (C.random.normal((2, 3)), 'RandomDistribution() -> ParameterTensor[2,3]'),
        (C.unpack_batch(x), 'UnpackBatchAxis(x: Tensor[2]) -> ParameterTensor[-3,2]'),
        (
            C.combine([x + 1, n * 2]),
            'Composite(x: Tensor[2], n: ParameterTensor[3]) -> Tuple[Tensor[2], ParameterTensor[3]]',
        ),
        (
            C.input_variable(2, np.float64, dynamic_axes=[]) * 1,
            'ElementTimes(ParameterTensor[np.float64,2]) -> ParameterTensor[np.float64,2]',
        ),
        # what combines inputs and nothing else
        (C.combine([x]), 'Combine(x: Tensor[2]) -> Tensor[2]'),
        (C.combine([x, y]), 'Combine(x: Tensor[2], y: Tensor[2]) -> Tuple[Tensor[2], Tensor[2]]'),
        (C.combine([p]), 'Combine() -> ParameterTensor[2]'),
        (C.combine([x, p]), 'Combine(x: Tensor[2]) -> Tuple[Tensor[2], ParameterTensor[2]]'),
        (C.layers.Sequential([]), 'Combine(keep: Sequence[tensor]) -> Sequence[tensor]'),
        (
            C.Function(lambda a, b: (a, b)),
            'Combine(a: Sequence[tensor], b: Sequence[tensor]) -> Tuple[Sequence[tensor], Sequence[tensor]]',
        ),
        # a network is told by its root where its inputs begin as the root's do
        (x + C.sigmoid(x), 'Plus(x: Tensor[2]) -> Tensor[2]'),
        (C.sigmoid(x) + x, 'Composite(x: Tensor[2]) -> Tensor[2]'),
        (C.splice(x, C.sigmoid(x)), 'Splice(x: Tensor[2]) -> Tensor[4]'),
        (C.plus(x, y, x), 'Composite(x: Tensor[2], y: Tensor[2]) -> Tensor[2]'),
        # what has no sequence axis is repeated by an operator of its own
        (w + s, 'Composite(w: Tensor[3], s: Sequence[Tensor[3]]) -> Sequence[Tensor[3]]'),
        (C.greater(s, w), 'Composite(s: Sequence[Tensor[3]], w: Tensor[3]) -> Sequence[Tensor[3]]'),
        (s + 1, 'Plus(s: Sequence[Tensor[3]]) -> Sequence[Tensor[3]]'),
        (
            C.sequence.broadcast_as(w, s),
            'Sequence::BroadcastAs(w: Tensor[3], s: Sequence[Tensor[3]]) -> Sequence[Tensor[3]]',
        ),
        # networks made of roots have no name
        (
            C.as_composite(C.plus(x, y, name='f').root_function),
            'Plus(x: Tensor[2], y: Tensor[2]) -> Tensor[2]',
        ),
        (
            C.as_composite(C.plus(x, y, name='f').root_function, 'g'),
            'g: Plus(x: Tensor[2], y: Tensor[2]) -> Tensor[2]',
        ),
        (C.as_composite(C.plus(x, y, name='f')), 'f: Plus(x: Tensor[2], y: Tensor[2]) -> Tensor[2]'),
        # the rest
        (C.combine([x, x + 1]), 'Composite(x: Tensor[2]) -> Tuple[Tensor[2], Tensor[2]]'),
        (C.layers.Recurrence(C.layers.GRU(4))(s), 'Composite(s: Sequence[Tensor[3]]) -> Sequence[Tensor[4]]'),
    ],
    ids=str,
)
def test_signature(function, text):
    assert str(function) == text


def dumped(function, capsys):
    C.debugging.dump_function(function)
    return [' '.join(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_a_network_line_by_line(capsys):
    assert dumped(s * 2 + 1, capsys) == [
        'Composite(s: Sequence[Tensor[3]]) -> Sequence[Tensor[3]]',
        'Axis defaultDynamicAxis == n*',
        'Plus a (c:[b*,n*](3,), d:()) -> (b:[b*,n*](3,))',
        'ElementTimes e (s:[b*,n*](3,), f:()) -> (c:[b*,n*](3,))',
        f'Input s {s.uid} [b*,n*](3,)',
        'Constant f ()',
        'Constant d ()',
    ]


def test_axes_get_letters_when_they_come(capsys):
    a = C.sequence.input_variable(3, sequence_axis=C.Axis('inA'), name='a')
    b = C.sequence.input_variable(3, sequence_axis=C.Axis('outA'), name='b')
    lines = dumped(C.sequence.broadcast_as(C.sequence.last(a), b) + b, capsys)
    assert lines[1:6] == [
        'Axis outA == n*',
        'Plus a (c:[b*,n*](3,), b:[b*,n*](3,)) -> (b:[b*,n*](3,))',
        'Sequence::BroadcastAs d (e:[b*](3,), b:[b*,n*](3,)) -> (c:[b*,n*](3,))',
        f'Input b {b.uid} [b*,n*](3,)',
        'Axis inA == o*',
    ]


def test_what_waits_for_its_input(capsys):
    lines = dumped(C.layers.Dense(2), capsys)
    assert lines[1] == 'Dense a (W:(-1, 2), b:(2,), x:[?](-2,)) -> (b:[?](-2,))'
    assert lines[-2:] == ['Parameter W (-1, 2)', 'Parameter b (2,)']


def test_more_than_26_letters(capsys):
    z = x
    for _ in range(20):
        z = C.exp(z)
    assert any(line.startswith('Exp bl ') for line in dumped(z, capsys))


_BATCH, _TIME = C.Axis.default_batch_axis(), C.Axis('time')


@pytest.mark.parametrize(
    'shape, axes, text',
    [
        (None, None, 'Sequence[tensor]'),
        (None, [], 'tensor'),
        (None, [_BATCH], 'tensor'),
        (None, [_BATCH, _TIME], 'SequenceOver[time][tensor]'),
        (None, [_TIME, _BATCH], 'SequenceOver[time][tensor]'),
        (None, [_TIME], 'SequenceOver[time][tensor]'),
        (None, [C.Axis.default_dynamic_axis(), _BATCH], 'Sequence[tensor]'),
        ((), None, 'Sequence[float]'),
        ((), [], 'float'),
        ((), [_BATCH], 'float'),
        ((), [_TIME, _BATCH], 'SequenceOver[time][float]'),
        ((3,), [], 'ParameterTensor[3]'),
        ((3,), [_BATCH], 'Tensor[3]'),
        ((C.InferredDimension,), [_BATCH, _TIME], 'SequenceOver[time][Tensor[-1]]'),
        ((C.FreeDimension, 2), [_TIME, _BATCH], 'SequenceOver[time][Tensor[-3,2]]'),
    ],
)
def test_placeholders_that_know_a_part_of_their_type(shape, axes, text):
    given = {k: v for k, v in {'shape': shape, 'dynamic_axes': axes}.items() if v is not None}
    assert str(C.relu(C.placeholder(**given))) == f'ReLU({text}) -> {text}'


@pytest.mark.parametrize(
    'variable, text',
    [
        (C.constant(1), 'np.float32'),
        (C.parameter((), dtype=np.float64), 'np.float64'),
        (C.input_variable(()), 'np.float32'),
        (C.sequence.input_variable((), dtype=np.float64), 'Sequence[np.float64]'),
        (C.input_variable((), is_sparse=True), 'np.float32'),
        (C.input_variable((2, 3), dtype=np.float64), 'Tensor[np.float64,2,3]'),
    ],
)
def test_types_of_variables(variable, text):
    assert str(variable._type) == text
