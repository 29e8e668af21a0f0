"""Writes rnn_stack_cntk.cntk2, a stack of recurrences as CNTK 2.7 saves it, which runs there on a GPU alone.

Run by CNTK's own Python: python rnn_stack_cntk.py
"""

from pathlib import Path

import cntk as C

x = C.sequence.input_variable(3, name='x')
weights = C.parameter((C.InferredDimension, 2), init=C.uniform(1, seed=5), name='weights')
C.optimized_rnnstack(x, weights, 2, 2, True, 'gru', name='stack').save(
    str(Path(__file__).with_name('rnn_stack_cntk.cntk2'))
)
