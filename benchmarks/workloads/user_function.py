"""user_function: an identity written by the user, 1 x 10, in a chain of 20 between x * w and a sum;
microseconds a call beyond the same graph without it."""

from timing import arguments, cantik_with, emit, np, seconds_per_call, wanted

args = arguments()
C = cantik_with(args.threads)
CALLS = 20


class Identity(C.UserFunction):
    def __init__(self, x, as_numpy=True, name='identity'):
        super().__init__([x], as_numpy=as_numpy, name=name)

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        return None, argument

    def backward(self, state, root_gradients):
        return root_gradients


@C.op
def identity(x):
    return x


identity.gradient(lambda dy, y, x: dy)


def graph(f, count, backward):
    x = C.input_variable(10, needs_gradient=True)
    v = x * C.constant(np.random.RandomState(0).randn(10).astype(np.float32))
    for _ in range(count):
        v = f(v)
    v = C.reduce_sum(v)
    feed = {x: np.random.RandomState(1).randn(1, 10).astype(np.float32)}
    return (lambda: v.grad(feed, [x])) if backward else (lambda: v.eval(feed))


FORMS = dict(
    arrays=lambda v: C.user_function(Identity(v)),
    values=lambda v: C.user_function(Identity(v, False)),
    op=identity,
)
for name, f in FORMS.items():
    for backward, what in ((False, 'forward'), (True, 'both')):
        if not wanted(args, name):
            continue
        (with_, _, foreign), (without, _, _) = (
            seconds_per_call(graph(f, count, backward), args, 50, args.seconds / 4) for count in (CALLS, 0)
        )
        costs = [(a - b) / CALLS * 1e6 for a, b in zip(sorted(with_), sorted(without))]
        emit(
            'user_function',
            '%s_%s' % (name, what),
            'us/call',
            costs,
            args.threads,
            foreign=foreign,
            empty_graph_us=float(np.median(without)) * 1e6,
        )
