# Recurrent models built by CNTK 2.7 for compare.py: sequences of different lengths, given as lists of arrays.
import cntk as C
import numpy as np
from cntk.layers import (
    AttentionModel,
    Delay,
    Dense,
    Embedding,
    Fold,
    GRU,
    LSTM,
    PastValueWindow,
    Recurrence,
    RecurrenceFrom,
    RNNStep,
    Sequential,
    UnfoldFrom,
)

from models import case, rows

LENGTHS = (3, 1, 5, 4)


def steps(dim, lengths=LENGTHS, dtype=np.float32):
    return [np.random.uniform(-1, 1, (n, dim)).astype(dtype) for n in lengths]


def symbols(classes, lengths=LENGTHS):
    return [np.eye(classes, dtype=np.float32)[np.random.randint(0, classes, n)] for n in lengths]


def sequence(dim, axis=None, **options):
    if axis is not None:
        options["sequence_axis"] = C.Axis(axis)
    return C.sequence.input_variable(dim, **options)


@case
def lstm():
    return Recurrence(LSTM(4))(sequence(3, name="x")), [steps(3)]


@case
def lstm_double():
    with C.default_options(dtype=np.float64):
        return Recurrence(LSTM(4))(sequence(3, dtype=np.float64)), [steps(3, dtype=np.float64)]


@case
def lstm_everything():
    cell = LSTM(
        4, cell_shape=6, use_peepholes=True, enable_self_stabilization=True, init_bias=0.1, name="cell"
    )
    return Recurrence(
        cell, initial_state=(0.1, -0.2), go_backwards=True, return_full_state=True, name="both"
    )(sequence(3)), [steps(3)]


@case
def gru():
    return Recurrence(GRU(4, enable_self_stabilization=True), initial_state=0.3)(sequence(3)), [steps(3)]


@case
def rnn_step():
    return Recurrence(RNNStep(4, activation=C.tanh))(sequence(3)), [steps(3)]


@case
def tagger():
    both = (Recurrence(LSTM(4)), Recurrence(LSTM(4), go_backwards=True))
    return Sequential([Embedding(5), both, C.splice, Dense(6)])(sequence(9, is_sparse=True)), [symbols(9)]


@case
def stacked():
    return Sequential([Recurrence(GRU(4)), Recurrence(RNNStep(3), go_backwards=True), Dense(2)])(
        sequence(3)
    ), [steps(3)]


@case
def folds():
    x = sequence(3)
    return C.combine(
        [
            Fold(GRU(4))(x),
            Fold(LSTM(4), go_backwards=True)(x),
            Fold(C.plus)(x),
            Fold(C.element_max, initial_state=-9)(x),
        ]
    ), [steps(3)]


@case
def from_states():
    return RecurrenceFrom(LSTM(4))(C.input_variable(4), C.input_variable(4), sequence(3)), [
        rows((4,), 4),
        rows((4,), 4),
        steps(3),
    ]


@case
def delays():
    x = sequence(3)
    return C.combine(
        [
            Delay(1)(x),
            Delay(2, initial_state=0.5)(x),
            Delay(-1)(x),
            C.sequence.past_value(x, initial_state=C.parameter(3, init=0.3)),
            C.sequence.future_value(x, time_step=3),
        ]
    ), [steps(3)]


@case
def window():
    value, valid = PastValueWindow(3, axis=-2)(sequence(3)).outputs
    return C.combine([value, valid]), [steps(3)]


@case
def unfolded():
    return UnfoldFrom(lambda s: s * 0.5 + 1)(C.input_variable(2), sequence(3)), [rows((2,), 4), steps(3)]


@case
def attention():
    return AttentionModel(5)(sequence(3, "source"), sequence(4)), [steps(3, (2, 5, 1, 3)), steps(4)]


@case
def attention_window():
    return AttentionModel(5, attention_span=2, attention_axis=-3)(sequence(3, "source"), sequence(4)), [
        steps(3, (2, 5, 1, 3)),
        steps(4),
    ]


@case
def loop_by_hand():
    x, p, q = sequence(3), C.placeholder(), C.placeholder()
    w = C.parameter((3, 3), init=C.glorot_uniform())
    inner = C.sequence.past_value(q, time_step=2) + C.times(C.sequence.past_value(p), w) + x
    z = C.tanh(inner)
    z.replace_placeholders({p: z.output, q: inner.output})
    return z, [steps(3)]
