"""adam_1m: a learner's update of a million parameters, in 20 arrays and in one; milliseconds a step."""

from timing import arguments, cantik_with, cost, np, wanted

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
rate = C.learning_parameter_schedule(0.01)
learners = dict(
    sgd=lambda p: C.sgd(p, rate),
    momentum=lambda p: C.momentum_sgd(p, rate, C.momentum_schedule(0.9), unit_gain=False),
    adam=lambda p: C.adam(p, C.learning_parameter_schedule(0.001), C.momentum_schedule(0.9), unit_gain=True),
)
for layout, shapes in (('split', [50000] * 20), ('single', [1000000])):
    for name, make in learners.items():
        if wanted(args, name) or wanted(args, name + '_' + layout):
            parameters = [C.parameter(n, init=rs.randn(n).astype(np.float32)) for n in shapes]
            gradients = {
                p: C.NDArrayView.from_dense(rs.randn(*p.shape).astype(np.float32)) for p in parameters
            }
            learner = make(parameters)
            cost(
                'adam_1m',
                name + '_' + layout,
                'ms/step',
                lambda: learner.update(gradients, 1),
                1e3,
                args,
                warmup=3,
            )
