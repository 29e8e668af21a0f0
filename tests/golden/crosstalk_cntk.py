#!/usr/bin/env python3
"""Files of cntk.contrib.crosstalk as CNTK 2.7 writes them, and what it makes of a stack of recurrences.

    crosstalk_cntk.py FOLDER        # tests/golden/crosstalk

tests/python/test_crosstalk.py reads them.
"""

import sys

import numpy as np

import cntk as C
from cntk.contrib import crosstalk as cstk
from cntk.contrib.crosstalk import crosstalk_cntk as crct


def numbers(shape, first):
    return (first + np.arange(np.prod(shape))).reshape(shape).astype(np.float32)


ci = crct.instance
ci.set_workdir(sys.argv[1])
p = C.parameter((2, 3), init=numbers((2, 3), 0))
ci.watch(p, 'parameter')
ci.watch({'a': p, 'b': C.parameter((2,), init=7)}, 'dictionary', var_type=crct.DictParameterType)
x, s = C.input_variable((4, 5)), C.sequence.input_variable(2)
convolution = C.layers.Convolution2D((2, 3), 3, init_bias=7)(C.reshape(x, (1, 4, 5)))
convolution.W.value = numbers((3, 1, 2, 3), 0) / 10
ci.watch(
    convolution,
    'convolution',
    var_type=cstk.Conv2DAttr,
    attr=cstk.Conv2DAttr(filter_shape=(2, 3), num_filters=3),
)
ci.watch(convolution, 'convolution_out')
table = C.parameter((3, 2), init=numbers((3, 2), 0))
ci.watch(table, 'table', var_type=cstk.EmbedAttr, attr=cstk.EmbedAttr(dict=['a', 'b', 'c'], input_dim=3))
forwards, backwards = (
    C.layers.Recurrence(C.layers.LSTM(3))(s),
    C.layers.Recurrence(C.layers.LSTM(3), go_backwards=True)(s),
)
both = C.splice(forwards, backwards)
for i, q in enumerate(both.parameters):
    q.value = np.sin(numbers(q.shape, i)).astype(np.float32)
attr = cstk.RnnAttr(bidirectional=True, op_type='lstm', input_dim=2, hidden_dim=3, forget_bias=0)
ci.watch(both, 'recurrence', var_type=cstk.RnnAttr, attr=attr)
ci.watch(both, 'recurrence_out')
ci.set_data({x: numbers((2, 4, 5), 0) / 10, s: [numbers((2, 2), 0) / 10, numbers((3, 2), 5) / 10]})
ci.save_all()
W = C.parameter((-1, 3), init=C.glorot_uniform())
ci.watch(
    C.optimized_rnnstack(s, W, 3, 1, bidirectional=True, recurrent_op='lstm'),
    'stack',
    var_type=cstk.RnnAttr,
    attr=attr,
)
ci.assign('stack', load=True, load_name='recurrence')
ci.watch(W, 'stack_parameter')
ci.save(['stack_parameter'])
