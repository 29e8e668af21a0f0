"""The node of an operator of the program's own: hands the run's memory to its forward and backward."""
import numpy as np

from .. import tape
from ...axis import Axis
from ...ops import output_variable
from ...ops.python_functions import PythonOperator
from ..ndarray.array import NDArray
from .entry import failed


class CustomNode(PythonOperator):
    """One use of a CustomOp.

    attributes: its keywords with its CustomOpProp; types, shapes: of the operands; results: of each the shape, whether its first axis is the batch,
    and its type; source: gives the CustomOp and its auxiliary states for a run.
    """

    def __init__(self, inputs, attributes, types, shapes, results, source, compute):
        self._keywords, self._types, self._shapes, self._results, self._source, self._compute = attributes, types, shapes, results, source, np.dtype(compute)
        self._write = ['write'] * len(results)
        self.reads_inputs, self.reads_outputs = attributes.needed()
        super().__init__(inputs, '', dict(attributes))

    @classmethod
    def _op_name(cls):
        return 'Custom'

    def infer_outputs(self):
        batch = [Axis.default_batch_axis()]
        return [output_variable(shape[1:] if rows else shape, self._compute, batch if rows else []) for shape, rows, _ in self._results]

    def clone(self, cloned_inputs):
        return CustomNode(cloned_inputs, self._keywords, self._types, self._shapes, self._results, self._source, self._compute)

    def serialize(self):
        return dict(self._keywords)

    @staticmethod
    def _seen(arrays, types):
        """Arrays as MXNet's, in the types that the operator declared."""
        return [NDArray(a if a.dtype == t else a.astype(t)) for a, t in zip(arrays, types)]

    def forward(self, training, inputs, outputs):
        """The program's forward on the run's memory. What it was called with is there for backward."""
        op, aux = self._source()
        types = [t for _, _, t in self._results]
        in_data, out_data = self._seen(inputs, self._types), self._seen(outputs, types)
        before = tape.set_recording(False), tape.set_training(training)
        try:
            op.forward(is_train=int(training), req=self._write, in_data=in_data, out_data=out_data, aux=aux)
        except Exception as e:
            raise failed('CustomOp.forward', e) from e
        finally:
            tape.set_recording(before[0])
            tape.set_training(before[1])
        self._settle(out_data, outputs)
        return op, aux

    def backward(self, state, gradients, inputs, outputs, input_gradients):
        """The program's backward on the run's memory."""
        op, aux = state
        types = [t for _, _, t in self._results]
        out_grad = [np.zeros(shape, self._compute) if g is None else g for g, (shape, _, _) in zip(gradients, self._results)]
        in_data = [x if x is not None else np.zeros(self._shapes[i], self._compute) for i, x in enumerate(inputs)]
        req = self._source.requests(input_gradients)
        scratch = [g if g is not None else np.zeros(x.shape, self._compute) for g, x in zip(input_gradients, in_data)]
        for g, r in zip(scratch, req):
            if r == 'add':
                g[...] = 0
        in_grad = self._seen(scratch, self._types)
        out_data = [y if y is not None else np.zeros(shape, self._compute) for y, (shape, _, _) in zip(outputs, self._results)]
        before = tape.set_recording(False), tape.set_training(True)
        try:
            op.backward(req=req, out_grad=self._seen(out_grad, types), in_data=self._seen(in_data, self._types), out_data=self._seen(out_data, types), in_grad=in_grad, aux=aux)
        except Exception as e:
            raise failed('CustomOp.backward', e) from e
        finally:
            tape.set_recording(before[0])
            tape.set_training(before[1])
        self._settle(in_grad, scratch)

    @staticmethod
    def _settle(seen, arrays):
        """What stands in arrays of another type, or in other memory, goes to the run's."""
        for s, a in zip(seen, arrays):
            if s._np is not a:
                a[...] = s._np
