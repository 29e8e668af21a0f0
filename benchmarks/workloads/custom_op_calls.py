"""custom_op for whichever MXNet it is given: a CustomOp of 1 x 10 in a bound executor, less the same graph
without it; microseconds a call.

empty: forward and backward do nothing. numpy: they copy out with asnumpy, compute with NumPy and assign, as a
softmax of one's own does.
"""

from timing import emit, np, seconds_per_call, wanted

CALLS = 20


def register(mx):
    class Empty(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            pass

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            pass

    class WithNumpy(mx.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            x = in_data[0].asnumpy()
            self.assign(out_data[0], req[0], mx.nd.array(x * 2))

        def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
            dy = out_grad[0].asnumpy()
            self.assign(in_grad[0], req[0], mx.nd.array(dy * 2))

    def named(name, op):
        mx.operator.register(name)(
            type(
                'Prop',
                (mx.operator.CustomOpProp,),
                {'create_operator': lambda self, ctx, shapes, dtypes: op()},
            )
        )

    named('bench_empty', Empty)
    named('bench_numpy', WithNumpy)


def executor(mx, op_type, count):
    x = mx.sym.Variable('x')
    v = x * 2.0
    for i in range(count):
        v = mx.sym.Custom(v, op_type=op_type, name='custom%d' % i)
    v = mx.sym.sum(v + 1.0)
    exe = v.simple_bind(mx.cpu(), x=(1, 10))
    exe.arg_dict['x'][:] = np.random.RandomState(0).randn(1, 10)
    return exe


def measure(mx, args):
    register(mx)
    one = mx.nd.ones((1,))

    def graph(op_type, count, backward):
        exe = executor(mx, op_type, count)

        def forward():
            exe.forward(is_train=False)
            exe.outputs[0].asnumpy()

        def both():
            exe.forward(is_train=True)
            exe.backward(one)
            exe.grad_dict['x'].asnumpy()

        return both if backward else forward

    for body in ('empty', 'numpy'):
        for backward, what in ((False, 'forward'), (True, 'both')):
            if not wanted(args, body):
                continue
            (with_, _, foreign), (without, _, _) = (
                seconds_per_call(graph('bench_' + body, count, backward), args, 50, args.seconds / 4)
                for count in (CALLS, 0)
            )
            costs = [(a - b) / CALLS * 1e6 for a, b in zip(sorted(with_), sorted(without))]
            emit(
                'custom_op',
                '%s_%s' % (body, what),
                'us/call',
                costs,
                args.threads,
                foreign=foreign,
                empty_graph_us=float(np.median(without)) * 1e6,
            )
