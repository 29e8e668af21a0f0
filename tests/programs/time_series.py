# Forecast of a noisy daily curve from the hours before, as a notebook would have it.
import numpy as np

import cntk as C

try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None

C.cntk_py.set_fixed_random_seed(1)
np.random.seed(0)
isFast = True

# Data
N, M, BATCH = 12, 3, 40  # hours before, hours ahead
hours = np.arange(700)
series = np.sin(2 * np.pi * hours / 24) + 0.4 * np.sin(2 * np.pi * hours / 168) + 0.1 * np.random.randn(700)
series = series.astype(np.float32)
mean, std = float(np.mean(series[:500])), float(np.std(series[:500]))


def windows(first, last):
    begin = range(first, last - N - M)
    later = np.array([series[i + N + M - 1 : i + N + M] for i in begin])
    return [series[i : i + N].reshape(-1, 1) for i in begin], later


parts = {'train': windows(0, 500), 'val': windows(500, 600), 'test': windows(600, 700)}
for name in sorted(parts):
    print(name, len(parts[name][0]), parts[name][1].shape)


def next_batch(name, count=BATCH):
    X, Y = parts[name]
    for i in range(0, len(X) - count, count):
        yield X[i : i + count], Y[i : i + count]


# Model
def create_model(x):
    with C.layers.default_options(initial_state=0.1):
        m = C.layers.Recurrence(C.layers.LSTM(10))(x)
        m = C.sequence.last(m)
        m = C.layers.Dropout(0.2)(m)
        return C.layers.Dense(1)(m)


x = C.sequence.input_variable(1)
y = C.input_variable(1, name='y')
z = create_model((x - mean) * (1 / std))
print(z.output.dynamic_axes, z.shape)
loss = C.squared_error(z, y)
error = C.squared_error(z, y)
learner = C.fsadagrad(
    z.parameters,
    lr=C.learning_parameter_schedule(0.02),
    momentum=C.momentum_schedule(0.9, minibatch_size=BATCH),
    unit_gain=True,
)
trainer = C.Trainer(z, (loss, error), [learner])

# Training
loss_summary = []
for epoch in range(6 if isFast else 2000):
    for x1, y1 in next_batch('train'):
        trainer.train_minibatch({x: x1, y: y1})
    training_loss = trainer.previous_minibatch_loss_average
    loss_summary.append(training_loss)
    print('epoch: {}, loss: {:.5f}'.format(epoch, training_loss))

# Evaluation
for name in ('train', 'val', 'test'):
    errors = [trainer.test_minibatch({x: x1, y: y1}) for x1, y1 in next_batch(name, 20)]
    print('mse for {}: {:.6f}'.format(name, np.mean(errors)))
predictions = np.vstack([z.eval({x: x1}) for x1, _ in next_batch('test', 20)])
print(predictions.shape, predictions[:4].ravel().round(4))
if plt:
    plt.plot(loss_summary)
