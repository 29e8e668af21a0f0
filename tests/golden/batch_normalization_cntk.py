#!/usr/bin/env python3
"""Three training steps and an evaluation of batch normalisation on CNTK 2.7, written to
batch_normalization_golden.txt.

    python tests/golden/batch_normalization_cntk.py

A line is `what = numbers`, in float64. Data are those of ops_cntk.numbers: x of step s is stream s over
[samples, shape], range 0.5,3.5; the weight of each result stream 100 + s, range 0.2,1.8.
"""

import os

import cntk as C
import numpy as np

from ops_cntk import numbers

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = 4


def line(what, value):
    return "%s = %s\n" % (what, " ".join("%.17g" % v for v in np.asarray(value, np.float64).reshape(-1)))


def main():
    text = ""
    for spatial, shape in ((False, (3,)), (True, (2, 3, 2))):
        for time_constant, epsilon in ((5000, 1e-5), (0, 0.1), (10, 1e-3), (float("inf"), 1e-5), (-1, 1e-5)):
            for dtype in (np.float64, np.float32):
                size = shape[:1] if spatial else shape
                x = C.input_variable(shape, dtype=dtype, needs_gradient=True)
                w = C.input_variable(shape, dtype=dtype)
                scale, bias = (
                    C.parameter(size, init=1.5, dtype=dtype),
                    C.parameter(size, init=0.25, dtype=dtype),
                )
                mean, variance, count = (
                    C.constant(0.0, size, dtype=dtype),
                    C.constant(0.0, size, dtype=dtype),
                    C.constant(0.0, (), dtype=dtype),
                )
                y = C.batch_normalization(
                    x, scale, bias, mean, variance, spatial, time_constant, 0, epsilon, running_count=count
                )
                f = y * w
                text += "case %s %s %s %s %s\n" % (
                    np.dtype(dtype).name,
                    "spatial" if spatial else "plain",
                    ",".join(map(str, shape)),
                    time_constant,
                    epsilon,
                )
                n = SAMPLES * int(np.prod(shape))
                for step in range(3):
                    at = {
                        x: numbers(n, step, "0.5,3.5", dtype).reshape((SAMPLES,) + shape),
                        w: numbers(n, 100 + step, "0.2,1.8", dtype).reshape((SAMPLES,) + shape),
                    }
                    state, values = f.forward(at, [y.output, f.output], {f.output})
                    gradients = f.backward(state, {f.output: np.ones_like(at[x])}, {x, scale, bias})
                    text += (
                        line("y", values[y.output])
                        + line("dx", gradients[x])
                        + line("dscale", gradients[scale])
                        + line("dbias", gradients[bias])
                    )
                    text += (
                        line("mean", mean.value)
                        + line("variance", variance.value)
                        + line("count", count.value)
                    )
                text += line("evaluated", y.eval({x: at[x]}))
    open(os.path.join(HERE, "batch_normalization_golden.txt"), "w").write(text)


if __name__ == "__main__":
    main()
