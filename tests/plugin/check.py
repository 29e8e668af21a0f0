"""The example library from Python: loaded, used, differentiated, saved, and read again.   check.py LIBRARY
FILE"""

import sys

import numpy as np

import cantik as C

library, file = sys.argv[1:]
assert {'swish', 'running_sum'} <= set(C.load_operators(library))  # all: test_operator_libraries.py
x = C.input_variable(3, needs_gradient=True)
f = C.call('running_sum', C.call('swish', x, beta=2.0), name='total')
numbers = np.array([[-1, 0.5, 2]], np.float32)
gate = 1 / (1 + np.exp(-2 * numbers))
np.testing.assert_allclose(f.eval({x: numbers}), np.cumsum(numbers * gate, axis=1), rtol=1e-6)
np.testing.assert_allclose(
    f.grad({x: numbers}, [x]), [[3, 2, 1]] * (gate + 2 * numbers * gate * (1 - gate)), rtol=1e-5
)
f.save(file)
g = C.Function.load(file)
np.testing.assert_array_equal(g.eval({g.arguments[0]: numbers}), f.eval({x: numbers}))
assert g.find_by_name('total') is not None
assert C.check_gradient(f, {x: numbers})
for wrong, error in (
    (lambda: C.call('swish', x, gamma=1), 'gamma'),
    (lambda: C.call('swish'), 'takes 1 inputs'),
    (lambda: C.call('no_such_operator', x), 'no operator'),
):
    try:
        wrong()
    except Exception as e:
        assert error in str(e), (error, str(e))
    else:
        raise AssertionError('wrong use passed: ' + error)
