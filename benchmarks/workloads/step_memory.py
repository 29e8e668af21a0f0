"""step_memory: how much more memory 20 training steps of mnist_convnet need than data and weights;
megabytes."""

from nets import convnet
from timing import arguments, cantik_with, emit, mnist, np, one_hot

args = arguments()
C = cantik_with(args.threads)
X, digits = mnist()
L = one_hot(digits, 10)
order = np.random.RandomState(0).permutation(60000)[:54000]


def resident():
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) for line in file if line.startswith('VmRSS')) / 1024


x, y = C.input_variable((28, 28)), C.input_variable(10)
z = convnet(C)(x)
for p in z.parameters:
    p.value  # the initial numbers are drawn
trainer = C.Trainer(
    z,
    C.cross_entropy_with_softmax(z, y),
    [
        C.momentum_sgd(
            z.parameters,
            C.learning_parameter_schedule_per_sample(0.001),
            C.momentum_schedule_per_sample(0.999),
        )
    ],
)
with open('/proc/self/clear_refs', 'w') as file:
    file.write('5')  # the peak is counted from now on
before = resident()
for i in range(20):
    rows = order[i * 256 : (i + 1) * 256]
    trainer.train_minibatch({x: X[rows], y: L[rows]})
with open('/proc/self/status') as file:
    peak = next(int(line.split()[1]) for line in file if line.startswith('VmHWM')) / 1024
emit('step_memory', 'loop', 'MB', [peak - before], args.threads, resident=before)
