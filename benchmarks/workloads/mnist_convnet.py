"""mnist_convnet: training steps of the guided tour's network, 256 images each, gathered by a permutation;
samples a second."""

from nets import convnet
from timing import arguments, cantik_with, mnist, np, one_hot, rate

args = arguments(minibatches=20)
C = cantik_with(args.threads)
X, digits = mnist()
L = one_hot(digits, 10)
order = np.random.RandomState(0).permutation(60000)[:54000]
SIZE = 256

x, y = C.input_variable((28, 28)), C.input_variable(10)
z = convnet(C)(x)
learner = C.momentum_sgd(
    z.parameters,
    C.learning_parameter_schedule_per_sample(0.001),
    C.momentum_schedule_per_sample(0.9990239141819757),
)
trainer = C.Trainer(z, C.cross_entropy_with_softmax(z, y), [learner])
steps = 0


def many():
    global steps
    for _ in range(args.minibatches):
        rows = order[steps % 210 * SIZE : (steps % 210 + 1) * SIZE]
        trainer.train_minibatch({x: X[rows], y: L[rows]})
        steps += 1


rate('mnist_convnet', 'loop', 'samples/s', many, SIZE * args.minibatches, args, warmup=0, seconds=0)
