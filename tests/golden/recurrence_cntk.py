"""Graphs of CNTK 2.7's recurrent layers as text, and the first values of their parameters, for
tests/python/test_recurrences.py:

    python recurrence_cntk.py > recurrence_golden.json

The test runs the same cases on Cantik. Functions and variables are numbered as they are met, from the result
backwards; what stands inside other blocks than those of the layers themselves is tested elsewhere and left
out.
"""

import json
import re

import cntk as C

CLOSED = {
    'Stabilizer',
    'Dense',
    'Softmax',
    'ReduceElements',
    'Sequence::Slice',
    'Sequence::BroadcastAs',
    'Sequence::Gather',
}
CASES = {}
KEPT = []


def case(f):
    CASES[f.__name__] = f
    return f


def sequence(dim, axis=None, name=''):
    if axis is None:
        return C.sequence.input_variable(dim, name=name)
    return C.sequence.input_variable(dim, sequence_axis=C.Axis(axis), name=name)


def states(*dims):
    return [sequence(dim, name='hc'[i]) for i, dim in enumerate(dims)] + [sequence(3, name='x')]


@case
def lstm():
    return C.layers.Recurrence(C.layers.LSTM(5))(sequence(3, name='x'))


@case
def lstm_open():
    return C.layers.LSTM(5)


@case
def lstm_peepholes():
    return C.layers.LSTM(5, use_peepholes=True)(*states(5, 5))


@case
def lstm_stabilized():
    return C.layers.LSTM(5, enable_self_stabilization=True, activation=C.relu)(*states(5, 5))


@case
def lstm_projected():
    return C.layers.LSTM(5, cell_shape=7, use_peepholes=True, enable_self_stabilization=True, name='cell')(
        *states(5, 7)
    )


@case
def gru():
    return C.layers.Recurrence(C.layers.GRU(5), initial_state=0.1)(sequence(3, name='x'))


@case
def gru_stabilized():
    return C.layers.GRU(5, enable_self_stabilization=True)(*states(5))


@case
def gru_projected_open():
    return C.layers.GRU(5, cell_shape=7, enable_self_stabilization=True)


@case
def rnn_step():
    return C.layers.Recurrence(C.layers.RNNStep(5, activation=C.relu))(sequence(3, name='x'))


@case
def rnn_step_projected():
    return C.layers.RNNStep(5, cell_shape=7, enable_self_stabilization=True, name='cell')(*states(5))


@case
def recurrence_open():
    return C.layers.Recurrence(C.layers.RNNStep(5))


@case
def backwards():
    return C.layers.Recurrence(C.layers.LSTM(5), go_backwards=True, name='back')(sequence(3, name='x'))


@case
def full_state():
    return C.layers.Recurrence(C.layers.LSTM(5), initial_state=(0.1, 0.2), return_full_state=True)(
        sequence(3, name='x')
    )


@case
def full_state_named():
    return C.layers.Recurrence(C.layers.LSTM(5), return_full_state=True, name='both')(sequence(3, name='x'))


@case
def running_sum():
    return C.layers.Recurrence(C.plus)(sequence(3, name='x'))


@case
def step_of_python():
    return C.layers.Recurrence(lambda h, x: h * 0.5 + x)(sequence(3, name='x'))


@case
def bidirectional():
    both = (C.layers.Recurrence(C.layers.LSTM(3)), C.layers.Recurrence(C.layers.LSTM(3), go_backwards=True))
    return C.layers.Sequential([both, C.splice, C.layers.Dense(4)])(sequence(3, name='x'))


@case
def recurrence_from():
    return C.layers.RecurrenceFrom(C.layers.RNNStep(5), name='from')(
        C.input_variable(5, name='start'), sequence(3, name='x')
    )


@case
def recurrence_from_sequences():
    return C.layers.RecurrenceFrom(C.layers.LSTM(5), go_backwards=True, return_full_state=True)(
        sequence(5, 'other', 'h'), sequence(5, 'other', 'c'), sequence(3, name='x')
    )


@case
def recurrence_from_open():
    @C.Function
    def step(a, b, c, d, e, x):
        return a + x, b + x, c + x, d + x, e + x

    return C.layers.RecurrenceFrom(step)


@case
def fold():
    return C.layers.Fold(C.layers.RNNStep(5))(sequence(3, name='x'))


@case
def fold_backwards():
    return C.layers.Fold(C.layers.GRU(5), go_backwards=True, name='folded')(sequence(3, name='x'))


@case
def fold_full_state():
    return C.layers.Fold(C.layers.LSTM(5), return_full_state=True)(sequence(3, name='x'))


@case
def delay():
    return C.layers.Delay(2, name='d')(sequence(3, name='x'))


@case
def delay_ahead():
    return C.layers.Delay(-1, initial_state=2)(sequence(3, name='x'))


@case
def delay_none():
    return C.layers.Delay(0)(sequence(3, name='x'))


@case
def window():
    return C.layers.PastValueWindow(3, axis=-2)(sequence(3, name='x'))


@case
def window_backwards():
    return C.layers.PastValueWindow(2, axis=-1, go_backwards=True, name='w')(sequence(3, name='x'))


@case
def unfold_open():
    return C.layers.UnfoldFrom(lambda s: s + 1)


@case
def unfold_state():
    return C.layers.UnfoldFrom(lambda s: (s + 1, s * 2), name='u')(
        C.input_variable(3, name='start'), sequence(3, name='x')
    )


@case
def unfold_longer():
    return C.layers.UnfoldFrom(lambda s: s + 1, length_increase=2)(
        C.input_variable(3, name='start'), sequence(3, name='x')
    )


@case
def unfold_until():
    return C.layers.UnfoldFrom(lambda s: s + 1, until_predicate=lambda s: C.greater(s, 3))(
        C.input_variable(1, name='start'), sequence(3, name='x')
    )


@case
def attention():
    return C.layers.AttentionModel(8, name='attention')(sequence(4, 'source', 'enc'), sequence(6, name='dec'))


@case
def attention_window():
    return C.layers.AttentionModel(8, attention_span=2, attention_axis=-3, go_backwards=True)(
        sequence(4, 'source', 'enc'), sequence(6, name='dec')
    )


def axes_of(v):
    names = [a.name for a in v.dynamic_axes]
    if 'UnknownAxes' in names:
        return '?'
    return '#*'[: len(names)]


def describe(model):
    """The printed forms and the graph as lines, without the numbers that count what a process has made."""
    numbers = {}

    def number(uid):
        return '%s%d' % (re.match(r'[A-Za-z]+', uid).group(), numbers.setdefault(uid, len(numbers)))

    def name(v):
        if v.is_output:
            return '%s.%s' % (number(v.owner.uid), v.uid.rsplit('_', 1)[1])
        return number(v.uid) + ('=' + v.name if v.name else '')

    lines = [
        re.sub(r"([A-Z][A-Za-z]+)\d+(_Output_\d)?", r'\1', str(model)),
        re.sub(r"([A-Z][A-Za-z]+)\d+(_Output_\d)?", r'\1', repr(model)),
    ]

    def walk(f, seen, depth):
        if f.uid in seen:
            return
        seen.add(f.uid)
        outputs = ['%s %s' % (axes_of(o), list(o.shape)) for o in f.outputs]
        kept = (
            {
                k: v
                for k, v in f.attributes.items()
                if k in ('offset', 'beginIndex', 'endIndex', 'outputRank', 'inferInputRankToMap')
            }
            if not f.is_block
            else {}
        )
        operands = f.inputs if not f.is_block else [outside for _, outside in f.block_arguments_mapping]
        lines.append(
            '%s%s %s%s(%s) -> %s%s'
            % (
                '  ' * depth,
                number(f.uid),
                f.op_name,
                ' ' + f.name if f.name else '',
                ', '.join(name(v) for v in operands),
                ', '.join(outputs),
                ''.join(' %s=%s' % i for i in sorted(kept.items())),
            )
        )
        if f.is_block and f.op_name not in CLOSED:
            walk(f.block_root, set(), depth + 1)
        for v in operands:
            if v.is_output:
                walk(v.owner, seen, depth)

    walk(model.root_function, set(), 0)
    return lines


def parameters(model):
    return [[p.name, list(p.shape)] for p in model.parameters]


def values(model):
    """By name and position, rounded: sums that tell one draw from another."""
    return [
        [p.name, float('%.5g' % p.asarray().sum()), float('%.5g' % abs(p.asarray()).sum())]
        for p in model.parameters
        if -1 not in p.shape
    ]


def run(f):
    C.cntk_py.reset_random_seed(0)
    model = f()
    KEPT.append(model)
    return {'graph': describe(model), 'parameters': parameters(model), 'values': values(model)}


if __name__ == '__main__':
    print(json.dumps({name: run(f) for name, f in sorted(CASES.items())}, indent=1))
