"""lr_tour: the guided tour's logistic regression, 625 minibatches of 32; steps a second."""

from timing import arguments, cantik_with, np, one_hot, rate, wanted

args = arguments()
C = cantik_with(args.threads)
rs = np.random.RandomState(0)
Y = rs.randint(0, 2, 20000)
X = ((rs.randn(20000, 2) + 3) * (Y[:, None] + 1)).astype(np.float32)
L = one_hot(Y, 2)


def network():
    x, y = C.input_variable(2), C.input_variable(2)
    z = C.layers.Dense(2)(x)
    return x, y, z, C.cross_entropy_with_softmax(z, y), C.classification_error(z, y)


def loop():
    """The user's loop: NumPy slices in; loss and metric out at each step."""
    x, y, z, loss, metric = network()
    trainer = C.Trainer(z, (loss, metric), [C.sgd(z.parameters, C.learning_parameter_schedule(0.1))])

    def sweep():
        for i in range(0, 20000, 32):
            trainer.train_minibatch({x: X[i : i + 32], y: L[i : i + 32]})
            trainer.previous_minibatch_loss_average
            trainer.previous_minibatch_evaluation_average

    return sweep


def train():
    """One Function.train over the arrays."""
    _x, _y, z, loss, metric = network()
    criterion = C.combine([loss, metric])
    return lambda: criterion.train(
        (X, L),
        parameter_learners=[C.sgd(z.parameters, C.learning_parameter_schedule(0.1))],
        minibatch_size=32,
    )


for name, make in dict(loop=loop, train=train).items():
    if wanted(args, name):
        rate('lr_tour', name, 'steps/s', make(), 625, args, warmup=1)
