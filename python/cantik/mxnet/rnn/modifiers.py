"""Cells around cells, which change their outputs or states: dropout, zoneout, connections past them."""

import numbers

from .. import symbol
from ..symbol import Symbol
from .cells import BaseRNNCell, steps_of


class DropoutCell(BaseRNNCell):
    """No recurrence: in training a part of its input is 0."""

    def __init__(self, dropout, prefix='dropout_', params=None):
        super().__init__(prefix, params)
        if not isinstance(dropout, numbers.Number):
            raise AssertionError('dropout probability must be a number')
        self.dropout = dropout

    @property
    def state_info(self):
        return []

    def __call__(self, inputs, states):
        return (symbol.Dropout(data=inputs, p=self.dropout) if self.dropout > 0 else inputs), states

    def unroll(self, length, inputs, begin_state=None, layout='NTC', merge_outputs=None):
        self.reset()
        inputs, _ = steps_of(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)


class ModifierCell(BaseRNNCell):
    """A cell around another, which is not to be called by itself any more."""

    def __init__(self, base_cell):
        super().__init__()
        base_cell._modified = True
        self.base_cell = base_cell

    @property
    def params(self):
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self):
        return self.base_cell.state_info

    def begin_state(self, init_sym=symbol.zeros, **kwargs):
        self._callable()
        return self._of_base(lambda: self.base_cell.begin_state(func=init_sym, **kwargs))

    def _of_base(self, function):
        self.base_cell._modified = False
        try:
            return function()
        finally:
            self.base_cell._modified = True

    def unpack_weights(self, args):
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args):
        return self.base_cell.pack_weights(args)

    def __call__(self, inputs, states):
        raise NotImplementedError('a modifier has to define its step')


class ZoneoutCell(ModifierCell):
    """In training a part of the outputs and of the states stays what it was in the step before (Krueger et
    al. 2016)."""

    def __init__(self, base_cell, zoneout_outputs=0.0, zoneout_states=0.0):
        if base_cell._without_zoneout:
            raise AssertionError(base_cell._without_zoneout)
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states, self.prev_output = zoneout_outputs, zoneout_states, None

    def reset(self):
        super().reset()
        self.prev_output = None
        if hasattr(self, 'base_cell'):
            self.base_cell.reset()

    def __call__(self, inputs, states):
        def kept(p, new, old):
            """In training new with the probability 1 - p, else old."""
            return symbol.where(symbol.Dropout(symbol.ones_like(new), p=p), new, old) if p > 0 else new

        output, after = self.base_cell(inputs, states)
        before = (
            symbol.zeros((0, 0))
            if self.prev_output is None and self.zoneout_outputs > 0
            else self.prev_output
        )
        self.prev_output = kept(self.zoneout_outputs, output, before)
        return self.prev_output, [kept(self.zoneout_states, new, old) for new, old in zip(after, states)]


class ResidualCell(ModifierCell):
    """The cell's outputs with its inputs added (Wu et al. 2016)."""

    def __call__(self, inputs, states):
        output, states = self.base_cell(inputs, states)
        return self._added(output, inputs), states

    @staticmethod
    def _added(output, inputs):
        return symbol.elemwise_add(output, inputs, name=output.name + '_plus_residual')

    def unroll(self, length, inputs, begin_state=None, layout='NTC', merge_outputs=None):
        self.reset()
        outputs, states = self._of_base(
            lambda: self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs)
        )
        merged = isinstance(outputs, Symbol)
        inputs, _ = steps_of(length, inputs, layout, merged)
        return (
            self._added(outputs, inputs) if merged else [self._added(o, i) for o, i in zip(outputs, inputs)]
        ), states
