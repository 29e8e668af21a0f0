# Prints the golden numbers of random_test.cc and initializer_test.cc. Runs under CNTK 2.7 (CPU) only:
#   python random_cntk.py draws > random_draws.inc
#   python random_cntk.py initializers > random_initializers.inc
# A row is what to draw, element type, parameters, number of elements, FNV-1a hash of the bytes, last element.
import os
import sys
import tempfile

import cntk as C
import numpy as np

SINGLE, DOUBLE, HALF = np.float32, np.float64, np.float16


def fnv(data):
    h = 0xCBF29CE484222325
    for byte in bytearray(data):
        h = (h ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return h


def row(what, parameters, a, call):
    a = np.ascontiguousarray(a).ravel()
    print(
        '{"%s", DType::%s, {%s}, %d, 0x%016x, %s},  // %s'
        % (
            what,
            a.dtype,
            ', '.join(repr(p) for p in parameters),
            a.size,
            fnv(a.tobytes()),
            repr(float(a[-1])),
            call,
        )
    )


def train(f, data):  # dropout drops only where a backward pass is to follow
    return f.forward(data, f.outputs, set(f.outputs))[1][f.outputs[0]]


def sampled(f):
    a = f.eval()
    return np.argmax(a.toarray() if hasattr(a, 'toarray') else a, 1).astype(SINGLE)


def draws():
    R = C.random
    for t in (SINGLE, DOUBLE):
        for low, high in ((0.0, 1.0), (-0.3, 0.7)):
            row(
                'uniform',
                (5, low, high),
                R.uniform((1000,), t, low, high, seed=5).eval(),
                'C.random.uniform((1000,), low, high, seed)',
            )
        for mean, scale in ((0.0, 1.0), (0.1, 0.3)):
            row(
                'normal',
                (5, mean, scale),
                R.normal((1000,), t, mean, scale, seed=5).eval(),
                'C.random.normal((1000,), mean, scale, seed)',
            )
            row(
                'gumbel',
                (5, mean, scale),
                R.gumbel((1000,), t, mean, scale, seed=5).eval(),
                'C.random.gumbel((1000,), loc, scale, seed)',
            )
        for mean in (0.0, 0.1, 1.0):
            row(
                'bernoulli',
                (5, mean),
                R.bernoulli((1000,), t, mean, seed=5).eval(),
                'C.random.bernoulli((1000,), mean, seed)',
            )
    # Goes up to the first number from the tail.
    row('normal', (5, 0.0, 1.0), R.normal((349,), DOUBLE, seed=5).eval(), 'C.random.normal((349,), seed)')
    n = R.normal((7,), seed=12345)
    row(
        'normal_by_7',
        (12345,),
        np.concatenate([n.eval() for i in range(20)]),
        'n = C.random.normal((7,), seed), evaluated 20 times',
    )
    with tempfile.TemporaryDirectory() as folder:
        n.save(os.path.join(folder, 'n.model'))
        n = C.Function.load(os.path.join(folder, 'n.model'))
    row(
        'normal_by_7_from_160',
        (12345,),
        np.concatenate([n.eval() for i in range(20)]),
        'n saved, loaded and evaluated 20 times more',
    )
    x = C.input_variable((2, 3))
    n = R.uniform_like(x, seed=5)
    row(
        'uniform',
        (5, 0.0, 1.0),
        n.eval({x: np.ones((4, 2, 3), SINGLE)}),
        'C.random.uniform_like(x, seed), x of 4 rows (2, 3)',
    )
    for t in (SINGLE, DOUBLE, HALF):
        for rate in (0.1, 1.0 / 3.0):
            x = C.input_variable((5, 4), dtype=t)
            d = C.dropout(x, rate, seed=3)
            both = [train(d, {x: np.ones((rows, 5, 4), t)}).ravel() for rows in (3, 17)]
            row(
                'dropout',
                (3, rate),
                np.concatenate(both),
                'C.dropout(x, rate, seed), x of 3 and then of 17 rows (5, 4)',
            )
    q = C.sequence.input_variable(2)
    d = C.dropout(q, 0.5, seed=3)
    first, second, third = train(d, {q: [np.ones((n, 2), SINGLE) for n in (3, 1, 2)]})
    # The second and third sequences share a lane; the lanes alternate in memory.
    lane = np.concatenate([second, third])
    row(
        'dropout',
        (3, 0.5),
        np.stack([first, lane], axis=1),
        'C.dropout(q, rate, seed), q of 3 sequences of 3, 1 and 2 elements (2,)',
    )
    weights = np.array([i % 7 + 0.5 for i in range(50)], SINGLE)
    for duplicates in (True, False):
        f = C.random_sample(weights, 20, duplicates, seed=5)
        row(
            'sample',
            (5, int(duplicates)),
            np.concatenate([sampled(f), sampled(f)]),
            'C.random_sample(weights, 20, allow_duplicates, seed), evaluated twice',
        )
        f = C.random_sample_inclusion_frequency(weights, 20, duplicates, seed=5)
        row(
            'frequency',
            (5, int(duplicates)),
            f.eval(),
            'C.random_sample_inclusion_frequency(weights, 20, allow_duplicates, seed)',
        )


def initializers():
    ranked = ('normal', 'xavier', 'glorot_uniform', 'glorot_normal', 'he_uniform', 'he_normal')
    shapes = (
        ((2, 3), ()),
        ((32, 1, 5, 5), (-1, 2)),
        ((6, 4, 3, 3), (-1, 2)),
        ((3, 4, 5), (2,)),
        ((3, 4, 5), (1, 1)),
        ((7,), ()),
    )
    infer = 2**31 - 1
    for t in (SINGLE, DOUBLE, HALF):
        for scale in (1.0, 0.37):
            for kind in ranked:
                for shape, ranks in shapes:
                    named = dict(zip(('output_rank', 'filter_rank'), ranks))
                    a = C.parameter(shape, dtype=t, init=getattr(C, kind)(scale, seed=7, **named)).value
                    row(
                        kind,
                        (7, scale) + ranks + (infer,) * (2 - len(ranks)) + shape,
                        a,
                        'C.parameter(shape, init=C.%s(scale, output_rank, filter_rank, seed))' % kind,
                    )
            for kind in ('uniform', 'truncated_normal'):
                a = C.parameter((40, 5), dtype=t, init=getattr(C, kind)(scale, seed=7)).value
                row(
                    kind,
                    (7, scale, infer, infer, 40, 5),
                    a,
                    'C.parameter((40, 5), init=C.%s(scale, seed))' % kind,
                )
        for size in (1, 2, 3, 4, 5, 6):
            shape = (3, 3, size, size)
            row(
                'bilinear',
                (size, size) + shape,
                C.parameter(shape, dtype=t, init=C.bilinear(size, size)).value,
                'C.parameter(shape, init=C.bilinear(width, height))',
            )
    C.cntk_py.reset_random_seed(0)
    made = [
        C.parameter((4, 5), init=i).value
        for i in (
            C.glorot_uniform(),
            1,
            C.he_normal(),
            C.uniform(2),
            C.normal(1, seed=99),
            C.glorot_uniform(),
        )
    ]
    row(
        'automatic',
        (),
        np.concatenate(made),
        'after reset_random_seed(0): glorot_uniform(), 1, he_normal(), uniform(2), normal(1, seed=99), '
        'glorot_uniform()',
    )


{'draws': draws, 'initializers': initializers}[sys.argv[1]]()
