"""compile: a new graph's first call with gradients, less a second one; microseconds. Each repetition builds
structures never seen before."""

import time

from nets import resnet20
from timing import arguments, cantik_with, emit, np

args = arguments()
C = cantik_with(1)


def ten_nodes(n):
    x, y, W, b = (
        C.input_variable(n),
        C.input_variable(n),
        C.parameter((n, n), init=0.1),
        C.parameter(n, init=0),
    )
    h = C.tanh(C.times(x, W) + b)
    loss = C.reduce_sum(C.square(C.sigmoid(C.times(h, W) + b) - y))
    row = np.ones((1, n), np.float32)
    return lambda: loss.grad({x: row, y: row}, wrt=[W, b], as_numpy=False)


def resnet(n):
    x, y = C.input_variable((3, 32, 32)), C.input_variable(10 + n)
    scores = C.layers.Dense(10 + n)(resnet20(C)(x))
    loss = C.cross_entropy_with_softmax(scores, y)
    wrt, images, labels = (
        list(scores.parameters),
        np.zeros((1, 3, 32, 32), np.float32),
        np.zeros((1, 10 + n), np.float32),
    )
    return lambda: loss.grad({x: images, y: labels}, wrt=wrt, as_numpy=False)


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def first_less_second(make, sizes):
    times = []
    for n in sizes:
        call = make(n)
        times.append((seconds(call) - min(seconds(call) for _ in range(3))) * 1e6)
    return times


ten_nodes(2)()
emit('compile', 'ten_nodes', 'us', first_less_second(ten_nodes, range(3, 63)), 1)
emit('compile', 'ten_nodes_of_a_known_structure', 'us', first_less_second(ten_nodes, range(3, 63)), 1)
emit('compile', 'resnet20', 'us', first_less_second(resnet, range(2, 2 + 2 * args.reps)), 1)
