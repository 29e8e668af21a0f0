"""The node of an operator of the program's own: hands the run's memory to its forward and backward."""

import numpy as np

import cantik as C
from cantik.ops.python_functions import PythonOperator

from .. import tape
from ..ndarray.array import NDArray
from .classes import failed


class CustomNode(PythonOperator):
    """One use of a CustomOp.

    attributes: its keywords with its CustomOpProp; types, shapes: of the operands; results: of each the
    shape, whether its first axis is the batch, and its type; source: gives the CustomOp and its auxiliary
    states for a run. Whoever runs it says whether autograd records and trains meanwhile.
    """

    def __init__(self, inputs, attributes, types, shapes, results, source, compute):
        self._keywords, self._types, self._shapes, self._results, self._source, self._compute = (
            attributes,
            types,
            shapes,
            results,
            source,
            np.dtype(compute),
        )
        made = [t for _, _, t in results], [shape for shape, _, _ in results]
        self._of = (
            (types, shapes),
            made,
            made,
            (types, shapes),
        )  # types and shapes of operands, results, and their gradients: of results first
        self._write = ['write'] * len(results)
        self._plain = all(
            t == self._compute for t in types + made[0]
        )  # no array is of another type than the run's
        self._kept = None
        if self._plain and source.one_run_at_a_time:
            self._kept = [[NDArray(None) for _ in t] for t, _ in self._of]
            self._absent = [[np.zeros(s, self._compute) for s in of] for _, of in self._of]
        self.reads_inputs, self.reads_outputs = attributes.needed()
        super().__init__(inputs, '', dict(attributes))

    @classmethod
    def _op_name(cls):
        return 'Custom'

    def infer_outputs(self):
        batch = [C.Axis.default_batch_axis()]
        return [
            C.output_variable(shape[1:] if rows else shape, self._compute, batch if rows else [])
            for shape, rows, _ in self._results
        ]

    def clone(self, cloned_inputs):
        return CustomNode(
            cloned_inputs,
            self._keywords,
            self._types,
            self._shapes,
            self._results,
            self._source,
            self._compute,
        )

    def serialize(self):
        return dict(self._keywords)

    def _seen(self, which, arrays):
        """Memory of the run as MXNet's arrays, in the types that the operator declared; zeros where it is not
        there: not read, or not wanted.

        Those of a bound graph are the same objects in every run. which: 0 operands, 1 results, 2 and 3 their
        gradients.
        """
        if self._kept is None:
            types, shapes = self._of[which]
            return [
                NDArray(np.zeros(s, t) if a is None else a if a.dtype == t else a.astype(t))
                for a, t, s in zip(arrays, types, shapes)
            ]
        views = self._kept[which]
        for view, a, zeros in zip(views, arrays, self._absent[which]):
            view._np = zeros if a is None else a
        return views

    def forward(self, training, inputs, outputs):
        """The program's forward on the run's memory. What it was called with is there for backward.

        The run trains where gradients follow; whether the program does, it has said itself.
        """
        made = self._source()
        op, aux = made
        in_data, out_data = self._seen(0, inputs), self._seen(1, outputs)
        try:
            op.forward(
                is_train=int(tape.training()), req=self._write, in_data=in_data, out_data=out_data, aux=aux
            )
        except Exception as e:
            raise failed('CustomOp.forward', e) from e
        if not self._plain:
            settle(out_data, outputs)
        return made

    def backward(self, state, gradients, inputs, outputs, input_gradients):
        """The program's backward on the run's memory."""
        op, aux = state
        req = self._source.requests(input_gradients)
        if 'add' in req:
            for g in input_gradients:
                if g is not None:
                    g[...] = 0
        in_data, out_data, out_grad, in_grad = (
            self._seen(0, inputs),
            self._seen(1, outputs),
            self._seen(2, gradients),
            self._seen(3, input_gradients),
        )
        try:
            op.backward(
                req=req, out_grad=out_grad, in_data=in_data, out_data=out_data, in_grad=in_grad, aux=aux
            )
        except Exception as e:
            raise failed('CustomOp.backward', e) from e
        if not self._plain:
            settle(in_grad, input_gradients)


def settle(seen, arrays):
    """What stands in arrays of other types goes to the run's memory."""
    for s, a in zip(seen, arrays):
        if a is not None and s._np is not a:
            a[...] = s._np
