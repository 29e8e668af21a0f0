"""The evaluator: a metric over test data."""

from .. import _cantik
from ..ops._node_times import print_node_timing


class Evaluator(_cantik.Evaluator):
    """A metric over test data, minibatch by minibatch.

    Args:
        eval_function (Function): the metric
        progress_writers (list): what is told of the progress

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(2)
        >>> C.Evaluator(C.reduce_sum(x)).test_minibatch({x: np.ones((3, 2), np.float32)})
        2.0
    """

    def __init__(self, eval_function, progress_writers=None):
        super().__init__(eval_function, progress_writers)

    def test_minibatch_overload_for_minibatchdata(self, arguments, computation_device=None):
        """The average of the metric over a minibatch of a source; test_minibatch is the shorter way.

        Args:
            arguments (dict): from inputs to MinibatchData
            computation_device: where to run
        """
        return self.test_minibatch(arguments, computation_device)

    def print_node_timing(self):
        """Prints the average time of each function since `debugging.set_node_timing(True)`; `with
        cantik.profile()` shows more."""
        print_node_timing(self.evaluation_function)
