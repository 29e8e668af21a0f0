"""Convolutions and pooling by CNTK 2.7: values and gradients of sum(y * r) for fixed numbers, written as C++
initialisers.

Run with CNTK's Python; prints convolution_golden.inc. Numbers are multiples of 1/8, so that every sum is
exact in float64.
"""

import sys

import cntk as C
import numpy as np


def numbers(n, seed):
    """The generator that the test repeats: small multiples of 1/8, never two neighbours alike."""
    v, out = seed, []
    for _ in range(n):
        v = (v * 1103515245 + 12345) % (1 << 31)
        out.append(((v >> 16) % 41 - 20) / 8.0)
    return out


def ramp(shape, seed):
    return np.array(numbers(int(np.prod(shape)), seed)).reshape(shape)


def braces(values):
    return "{" + ", ".join("%.17g" % v for v in np.asarray(values, dtype=np.float64).ravel()) + "}"


def ints(values):
    return "{" + ", ".join(str(int(v)) for v in values) + "}"


def gradients(f, feeds, wrt):
    r = C.constant(ramp(f.shape, 3), dtype=np.float64)
    return C.reduce_sum(f * r).grad(feeds, wrt=wrt)


def convolution(x_shape, w_shape, transpose=False, **kw):
    x = C.input_variable(x_shape, dtype=np.float64, needs_gradient=True)
    w = C.parameter(w_shape, init=ramp(w_shape, 2), dtype=np.float64)
    f = (C.convolution_transpose if transpose else C.convolution)(w, x, **kw)
    feeds = {x: ramp((2,) + x_shape, 1)}
    g = gradients(f, feeds, [x, w])
    print(
        "{%s, %s, %s, %s, %d, %d, %s, %s, %s,\n %s,\n %s,\n %s},"
        % (
            ints(x_shape),
            ints(w_shape),
            ints(np.atleast_1d(kw.get("strides", 1))),
            ints(kw.get("auto_padding", [True])),
            kw.get("groups", 1),
            kw.get("reduction_rank", 1),
            "true" if transpose else "false",
            ints(kw.get("output_shape", ())),
            ints(f.shape),
            braces(f.eval(feeds)),
            braces(g[x]),
            braces(g[w]),
        )
    )


def pooling(x_shape, kind, window, strides, **kw):
    x = C.input_variable(x_shape, dtype=np.float64, needs_gradient=True)
    f = C.pooling(x, kind, window, strides, **kw)
    feeds = {x: ramp((2,) + x_shape, 1)}
    g = gradients(f, feeds, [x])
    print(
        "{%s, %d, %s, %s, %s, %s, %s, %s,\n %s,\n %s},"
        % (
            ints(x_shape),
            kind,
            ints(window),
            ints(strides),
            ints(kw.get("auto_padding", [False])),
            str(kw.get("ceil_out_dim", False)).lower(),
            str(kw.get("include_pad", False)).lower(),
            ints(f.shape),
            braces(f.eval(feeds)),
            braces(g),
        )
    )


def main():
    print("// Written by convolution_cntk.py with CNTK %s." % C.__version__)
    print("static const GoldenConvolution kConvolutions[] = {")
    convolution((2, 5, 4), (3, 2, 3, 3), auto_padding=[False, True, True])
    convolution((2, 5, 4), (3, 2, 3, 2), auto_padding=[False, True, True])
    convolution((2, 6, 5), (3, 2, 4, 2), strides=(1, 2, 3), auto_padding=[False, True, True])
    convolution((2, 5, 5), (3, 2, 3, 3), strides=2, auto_padding=[False, True, False])
    convolution((2, 5, 4), (3, 2, 2, 3), auto_padding=[False])
    convolution((4, 4, 4), (4, 2, 3, 3), groups=2, auto_padding=[False, True, True])
    convolution((4, 4, 4), (4, 1, 3, 3), groups=4, auto_padding=[False, True, True])
    convolution((4, 5, 4), (8, 1, 3, 3), groups=4, strides=(1, 2, 2), auto_padding=[False, True, True])
    convolution((2, 7), (3, 2, 3), strides=(1, 2), auto_padding=[False, True])
    convolution((2, 3, 4, 4), (2, 2, 2, 3, 3), strides=(1, 1, 2, 2), auto_padding=[False, True, True, True])
    convolution((5, 4), (3, 3), reduction_rank=0)
    convolution((5, 4), (2, 3, 3), reduction_rank=0, strides=2, auto_padding=[True, False])
    convolution((3, 4, 4), (2, 3, 3, 3), reduction_rank=0)
    convolution((2, 3, 3), (2, 3, 3, 3), True, auto_padding=[False])
    convolution((2, 3, 3), (2, 3, 3, 3), True, strides=(1, 2, 2), auto_padding=[False, True, True])
    convolution(
        (2, 3, 4),
        (2, 3, 3, 3),
        True,
        strides=(1, 2, 2),
        auto_padding=[False, True, True],
        output_shape=(3, 6, 8),
    )
    convolution((2, 3, 3), (2, 3, 2, 4), True, strides=(1, 3, 2), auto_padding=[False, False, True])
    convolution((2, 5), (2, 3, 3), True, strides=(1, 2), auto_padding=[False, True])
    convolution((3, 3), (3, 3), True, strides=2, reduction_rank=0)
    print("};")
    print("static const GoldenPooling kPoolings[] = {")
    for kind in (C.MAX_POOLING, C.AVG_POOLING):
        pooling((2, 5, 4), kind, (3, 3), (2, 2))
        pooling((2, 5, 4), kind, (3, 3), (2, 2), auto_padding=[True, True])
        pooling((2, 5, 4), kind, (2, 3), (1, 2), auto_padding=[True, False])
        pooling((2, 6, 5), kind, (3, 2), (2, 2), ceil_out_dim=True)
        pooling((2, 6, 5), kind, (4, 3), (3, 3), ceil_out_dim=True, auto_padding=[True, True])
        pooling((3, 5), kind, (5,), (1,))
        pooling((4, 4, 4), kind, (2, 2, 2), (2, 2, 2))
        pooling((2, 2, 4, 4), kind, (2, 2), (2, 2))
    pooling((2, 5, 4), C.AVG_POOLING, (3, 3), (2, 2), auto_padding=[True, True], include_pad=True)
    pooling((2, 6, 5), C.AVG_POOLING, (3, 2), (2, 2), ceil_out_dim=True, include_pad=True)
    print("};")


if __name__ == "__main__":
    sys.exit(main())
