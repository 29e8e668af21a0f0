"""Helpers that tests of operators take from here: values and gradients against those that are expected.

CNTK's tests import some of the names from here that live elsewhere.
"""

import operator
import os

import numpy as np

from ...device import cpu, gpu
from ...internal.sanitize import sanitize_dtype_cntk
from ...internal.utils import eval as cntk_eval
from ...tests import test_utils
from ...tests.test_utils import AA, C, PRECISION_TO_TYPE, TOLERANCE_ABSOLUTE, set_device_from_pytest_env
from .. import constant, input_variable
from ..functions import Function

_UNARY = {'-': operator.neg, 'abs': operator.abs}
_BINARY = {
    '+': operator.add,
    '-': operator.sub,
    '*': operator.mul,
    '/': operator.truediv,
    '@': operator.matmul,
}


def __getattr__(name):
    return getattr(test_utils, name)  # what needs pytest or SciPy


def cntk_device(device_id):
    """The device of a number: -1 is the CPU.

    Args:
        device_id (int): the number
    """
    return cpu() if device_id == -1 else gpu(device_id)


class _Process:
    """This process, as far as its memory goes."""

    def resident(self):
        with open('/proc/self/statm') as file:
            return int(file.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def os_process():
    """This process, for `mem_used`."""
    return _Process()


def mem_used(process):
    """How many bytes of memory the process has, without those that are swapped.

    Args:
        process: of os_process, or one of psutil
    """
    return process.resident() if isinstance(process, _Process) else process.memory_info()[0]


def unittest_helper(
    root_node, forward_input, expected_forward, expected_backward, device_id=-1, precision='float'
):
    """Checks the values of a function, and gradients under roots of ones.

    Args:
        root_node (Function): the function
        forward_input (dict): data for its arguments
        expected_forward (list): the value of each sample or sequence
        expected_backward (dict): the gradient of each sample or sequence, by variables; None where gradients
          are not looked at
        device_id (int): -1 for the CPU
        precision (str): 'float' or 'double'

    Example:
        >>> import cantik as C, numpy as np
        >>> x = C.input_variable(2, needs_gradient=True)
        >>> unittest_helper(x * x, {x: np.array([[2, 3]], np.float32)}, [[4, 9]], {x: [[4, 6]]})
    """
    backward_pass = bool(expected_backward)
    forward, backward = cntk_eval(
        root_node, forward_input, precision, cntk_device(device_id), backward_pass, expected_backward
    )
    for value in forward.values():
        _check(value, expected_forward, 'value')
    for variable in expected_backward or ():
        _check(
            backward[variable], expected_backward[variable], 'gradient of ' + (variable.name or variable.uid)
        )


def _check(found, expected, what):
    assert len(found) == len(expected), f'{what}: {len(found)} samples in place of {len(expected)}'
    for one, other in zip(found, expected):
        one, other = AA(one), AA(other)
        assert one.shape == other.shape, f'{what}: the shape {one.shape} in place of {other.shape}'
        np.testing.assert_allclose(one, other, atol=TOLERANCE_ABSOLUTE, err_msg=what)


def _applied(op, operators, operands, options):
    return operators[op](*operands) if isinstance(op, str) else op(*operands, **options)


def _test_unary_op(
    precision, device_id, op_func, value, expected_forward, expected_backward_all, op_param_dict={}
):
    """Checks an operator of one operand.

    Args:
        precision (str): 'float' or 'double'
        device_id (int): -1 for the CPU
        op_func: a function of an operand, or one of '-' and 'abs'
        value: the operand
        expected_forward (list): the value, as a batch of one
        expected_backward_all (dict): the gradient of the operand under 'arg', as a batch of one; None where
          it is not looked at
        op_param_dict (dict): further arguments of the operator
    """
    dtype = PRECISION_TO_TYPE[precision]
    value = AA(value, dtype)
    x = input_variable(value.shape, dtype, needs_gradient=True, name='arg')
    unittest_helper(
        _applied(op_func, _UNARY, [x], op_param_dict),
        {x: value[np.newaxis]},
        expected_forward,
        expected_backward_all and {x: expected_backward_all['arg']},
        device_id,
        precision,
    )


def _test_binary_op(
    precision,
    device_id,
    op_func,
    left_operand,
    right_operand,
    expected_forward,
    expected_backward_all,
    wrap_batch_seq=True,
    op_param_dict={},
    batch_size_greater_than_one=False,
):
    """Checks an operator of two operands: two inputs, and an input with a constant on either side.

    Args:
        precision (str): 'float' or 'double'
        device_id (int): -1 for the CPU
        op_func: a function of two operands, or one of '+', '-', '*', '/' and '@'
        left_operand, right_operand: the operands
        expected_forward (list): the value, as a batch
        expected_backward_all (dict): the gradients under 'left_arg' and 'right_arg', as batches
        wrap_batch_seq (bool): whether the operands are one sample each
        op_param_dict (dict): further arguments of the operator
        batch_size_greater_than_one (bool): whether the operands are batches of several samples
    """
    dtype = PRECISION_TO_TYPE[precision]
    values = [AA(left_operand, dtype), AA(right_operand, dtype)]
    batches = values if batch_size_greater_than_one or not wrap_batch_seq else [v[np.newaxis] for v in values]
    inputs = [
        input_variable(batch.shape[1:], dtype, needs_gradient=True, name=name)
        for batch, name in zip(batches, ('left_arg', 'right_arg'))
    ]
    gradients = [expected_backward_all[x.name] for x in inputs]
    unittest_helper(
        _applied(op_func, _BINARY, inputs, op_param_dict),
        dict(zip(inputs, batches)),
        expected_forward,
        dict(zip(inputs, gradients)),
        device_id,
        precision,
    )
    if len(batches[0]) != 1 or len(batches[1]) != 1:
        return
    for i, x in enumerate(inputs):
        operands = [
            x if j == i else constant(batch[0], name=y.name)
            for j, (y, batch) in enumerate(zip(inputs, batches))
        ]
        unittest_helper(
            _applied(op_func, _BINARY, operands, op_param_dict),
            {x: batches[i]},
            expected_forward,
            {x: gradients[i]},
            device_id,
            precision,
        )


def batch_dense_to_sparse(batch, dynamic_axis=''):
    """The elements of samples that are not zero, in CNTK's order: the first axis fastest.

    Args:
        batch (list): samples, arrays of one shape
        dynamic_axis: where it is given, each item is a sequence of samples; they are told as one

    Returns:
        (indices, values, shape): a list of positions and one of values for each item, and the shape of a
          sample

    Example:
        >>> batch_dense_to_sparse([[[1, 0], [3, 4]]])
        ([[0, 1, 3]], [[1, 3, 4]], (2, 2))
    """
    items = [[AA(step) for step in (item if dynamic_axis else [item])] for item in batch]
    shapes = {step.shape for item in items for step in item}
    if len(shapes) != 1:
        raise ValueError(f'the samples must have one shape, and have {sorted(shapes)}')
    indices, values = [], []
    for item in items:
        flat = np.concatenate([step.ravel(order='F') for step in item])
        places = np.flatnonzero(flat)
        indices.append(places.tolist())
        values.append(flat[places].tolist())
    return indices, values, shapes.pop()


def _place(arr, arrays):
    """Where in a list an array of the same numbers is, axes of size 1 aside; None where it is not."""
    arr = np.squeeze(arr)
    squeezed = map(np.squeeze, arrays)
    close = (a.shape == arr.shape and np.allclose(a, arr, atol=TOLERANCE_ABSOLUTE) for a in squeezed)
    return next((place for place, found in enumerate(close) if found), None)


def remove_np_array_in_list(arr, l):
    """Removes the first array of a list that has the same numbers; a ValueError where there is none.

    Args:
        arr: the array
        l (list): changed in place
    """
    place = _place(arr, l)
    if place is None:
        raise ValueError('the array is not in the list')
    del l[place]


def compare_lists_of_np_arrays(first_list, second_list):
    """Whether two lists hold arrays of the same numbers, in any order.

    Example:
        >>> import numpy as np
        >>> compare_lists_of_np_arrays([np.ones(2), np.zeros(1)], [np.zeros(1), np.ones(2)])
        True
    """
    left = list(second_list)
    for arr in first_list:
        place = _place(arr, left)
        if place is None:
            return False
        del left[place]
    return not left
