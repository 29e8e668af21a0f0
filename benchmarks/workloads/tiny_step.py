"""tiny_step: 50 layers of tanh(x W + b), 8 x 8, one row; the gradients of all 100 parameters; microseconds
for each of 150 nodes."""

from timing import arguments, cantik_with, cost, np

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
x = C.input_variable(8)
h, parameters = x, []
for _ in range(50):
    W, b = (
        C.parameter((8, 8), init=(rs.randn(8, 8) / 3).astype(np.float32)),
        C.parameter(8, init=(rs.randn(8) / 3).astype(np.float32)),
    )
    h = C.tanh(C.times(h, W) + b)
    parameters += [W, b]
loss = C.reduce_sum(h)
row = rs.randn(1, 8).astype(np.float32)
cost(
    'tiny_step',
    'grad',
    'us/node',
    lambda: loss.grad({x: row}, wrt=parameters, as_numpy=False),
    1e6 / 150,
    args,
    warmup=20,
)
