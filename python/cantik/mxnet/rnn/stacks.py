"""Cells of cells: one behind another, and one from each end."""

from .. import symbol
from ..symbol import Symbol
from .cells import BaseRNNCell, RNNParams, steps_of


class _Several(BaseRNNCell):
    """Their states, parameters and weights one behind another. Parameters that are given are those of all its
    cells."""

    def __init__(self, params):
        self._cells = []
        self._override_cell_params = params is not None
        super().__init__('', params)

    def _take(self, cell):
        if self._override_cell_params:
            if not cell._own_params:
                raise AssertionError(
                    'Either specify params for {} or child cells, not both.'.format(type(self).__name__)
                )
            cell.params._params.update(self.params._params)
        self.params._params.update(cell.params._params)
        self._cells.append(cell)

    @property
    def state_info(self):
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, **kwargs):
        self._callable()
        return [state for cell in self._cells for state in cell.begin_state(**kwargs)]

    def _with_states(self, states):
        """Each cell and its part of the states."""
        at = 0
        for cell in self._cells:
            count = len(cell.state_info)
            yield cell, states[at : at + count]
            at += count

    def unpack_weights(self, args):
        for cell in self._cells:
            args = cell.unpack_weights(args)
        return args

    def pack_weights(self, args):
        for cell in self._cells:
            args = cell.pack_weights(args)
        return args


class SequentialRNNCell(_Several):
    """Each cell takes the outputs of the one before it."""

    def __init__(self, params=None):
        super().__init__(params)

    @property
    def _without_zoneout(self):
        unsteppable = any(isinstance(c, BidirectionalCell) for c in self._cells)
        return BidirectionalCell._without_zoneout if unsteppable else None

    def add(self, cell):
        """Puts another cell behind the last."""
        self._take(cell)

    def __call__(self, inputs, states):
        self._counter += 1
        after = []
        for cell, own in self._with_states(states):
            inputs, made = cell(inputs, own)
            after.append(made)
        return inputs, sum(after, [])

    def unroll(self, length, inputs, begin_state=None, layout='NTC', merge_outputs=None):
        self.reset()
        states = self.begin_state() if begin_state is None else begin_state
        after = []
        for cell, own in self._with_states(states):
            inputs, made = cell.unroll(
                length, inputs, own, layout, merge_outputs if cell is self._cells[-1] else None
            )
            after += made
        return inputs, after


class BidirectionalCell(_Several):
    """One cell from the first step to the last, one from the last to the first; their outputs side by
    side."""

    _without_zoneout = (
        "BidirectionalCell doesn't support zoneout since it doesn't support step. Please add "
        'ZoneoutCell to the cells underneath instead.'
    )

    def __init__(self, l_cell, r_cell, params=None, output_prefix='bi_'):
        super().__init__(params)
        self._output_prefix = output_prefix
        self._take(l_cell)
        self._take(r_cell)

    def __call__(self, inputs, states):
        raise NotImplementedError('Bidirectional cannot be stepped. Please use unroll')

    def unroll(self, length, inputs, begin_state=None, layout='NTC', merge_outputs=None):
        self.reset()
        inputs, axis = steps_of(length, inputs, layout, False)
        states = self.begin_state() if begin_state is None else begin_state
        (forth, states_forth), (back, states_back) = (
            cell.unroll(length, steps, own, layout, merge_outputs)
            for (cell, own), steps in zip(self._with_states(states), (inputs, inputs[::-1]))
        )
        if merge_outputs is None:
            merge_outputs = isinstance(forth, Symbol) and isinstance(back, Symbol)
            if not merge_outputs:
                (forth, _), (back, _) = (
                    steps_of(length, outputs, layout, False) for outputs in (forth, back)
                )
        if merge_outputs:
            outputs = symbol.Concat(
                forth, symbol.reverse(back, axis=axis), dim=2, name=self._output_prefix + 'out'
            )
        else:
            outputs = [
                symbol.Concat(f, b, dim=1, name='{}t{}'.format(self._output_prefix, i))
                for i, (f, b) in enumerate(zip(forth, back[::-1]))
            ]
        return outputs, [states_forth, states_back]
