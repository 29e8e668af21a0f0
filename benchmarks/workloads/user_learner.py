"""user_learner: a training step whose million parameters a learner of the user's updates; milliseconds a
step.

x 1x1000 times W 1000x1000, summed. `views`: NumPy writes the parameter's memory; `numpy`: the program for
CNTK, values in and out; `graph`: a graph made in each call; `fast`: one graph, evaluated in each call;
`universal`: the graph as a part of the step.
"""

from timing import arguments, cantik_with, cost, np, wanted

args = arguments()
C = cantik_with(args.threads)
RATE = 1e-6


class Views(C.learners.UserLearner):
    def update(self, gradient_values, training_sample_count, sweep_end):
        eta = np.float32(self.learning_rate() / training_sample_count)
        for p, g in gradient_values.items():
            g *= eta  # the gradient is the learner's
            w = np.asarray(p.data)
            w -= g
        return True


class Numpy(C.learners.UserLearner):
    def update(self, gradient_values, training_sample_count, sweep_end):
        eta = self.learning_rate() / training_sample_count
        for p, g in gradient_values.items():
            p.value = p.value - eta * g.asarray()
        return True


class Graph(C.learners.UserLearner):
    def update(self, gradient_values, training_sample_count, sweep_end):
        eta = self.learning_rate() / training_sample_count
        for p, g in gradient_values.items():
            p.set_value((p - eta * C.constant(g)).eval(as_numpy=False).data)
        return True


class Fast(C.learners.UserLearner):
    def __init__(self, parameters, rate):
        super().__init__(parameters, rate, as_numpy=False)
        self.count = C.input_variable(())
        self.gradient = {p.shape: C.input_variable(p.shape) for p in parameters}
        self.new = {p.shape: p - rate[0] / self.count * self.gradient[p.shape] for p in parameters}

    def update(self, gradient_values, training_sample_count, sweep_end):
        for p, g in gradient_values.items():
            result = self.new[p.shape].eval(
                {self.count: np.asarray(training_sample_count, np.float32), self.gradient[p.shape]: g},
                as_numpy=False,
            )
            p.set_value(result.data.slice_view([0] * len(result.shape), result.shape[1:]))
        return True


def universal(parameters, rate):
    return C.universal(
        lambda ps, gs: C.combine([C.assign(p, p - RATE * g) for p, g in zip(ps, gs)]), parameters
    )


def step(make):
    x, W = C.input_variable(1000), C.parameter((1000, 1000), init=C.glorot_uniform())
    trainer = C.Trainer(None, C.reduce_sum(C.times(x, W)), [make([W], C.learning_parameter_schedule(RATE))])
    data = {x: np.random.RandomState(0).randn(1, 1000).astype(np.float32)}
    return lambda: trainer.train_minibatch(data)


for name, make in dict(
    builtin_sgd=C.sgd, views=Views, numpy=Numpy, graph=Graph, fast=Fast, universal=universal
).items():
    if wanted(args, name):
        cost('user_learner', name, 'ms/step', step(make), 1e3, args, warmup=3)
