"""A variational autoencoder of small images with a blob in each."""

import numpy as np

import cntk as C
import cntk.layers as L

SIDE, LATENT, COUNT, MINIBATCH = 8, 2, 256, 32
C.cntk_py.set_fixed_random_seed(5)


def blobs():
    centres = np.random.RandomState(0).uniform(2, 6, (COUNT, 2, 1, 1))
    row, column = np.mgrid[0:SIDE, 0:SIDE]
    distance = (row - centres[:, 0]) ** 2 + (column - centres[:, 1]) ** 2
    return np.exp(-distance / 3).reshape(COUNT, SIDE * SIDE).astype(np.float32)


data = blobs()
image = C.input_variable(SIDE * SIDE, name='image')
hidden = L.Dense(32, activation=C.softplus, name='encode')(image)
mu = L.Dense(LATENT, name='mu')(hidden)
log_sigma = L.Dense(LATENT, init=C.normal(0.02), name='log_sigma')(hidden)
code = C.plus(mu, C.exp(log_sigma) * C.random.normal_like(mu), name='code')
decoder = L.Sequential([L.Dense(32, activation=C.softplus), L.Dense(SIDE * SIDE, activation=C.sigmoid)])
rebuilt = decoder(code)

reconstruction = C.reduce_sum(C.binary_cross_entropy(rebuilt, image))
divergence = -0.5 * C.reduce_sum(1 + 2 * log_sigma - C.square(mu) - C.exp(2 * log_sigma))
loss = reconstruction + divergence
print(loss.shape, [p.name + str(p.shape) for p in loss.parameters])

learner = C.adam(
    loss.parameters,
    C.learning_parameter_schedule_per_sample(0.001),
    momentum=C.momentum_as_time_constant_schedule(300),
    variance_momentum=C.momentum_schedule(0.999),
)
printer = C.logging.ProgressPrinter(tag='vae', metric_is_pct=False, first=3, freq=8)
trainer = C.Trainer(rebuilt, (loss, divergence), learner, [printer])
for epoch in range(3):
    for k in range(0, COUNT, MINIBATCH):
        trainer.train_minibatch({image: data[k : k + MINIBATCH]})
        print(
            '%.5f %.5f'
            % (trainer.previous_minibatch_loss_average, trainer.previous_minibatch_evaluation_average)
        )
    trainer.summarize_training_progress()
    # What is drawn while looking at pictures is not what the training draws.
    print('picture', np.round(rebuilt.eval({image: data[:1]})[0, ::9], 4))

codes = C.combine([mu, log_sigma]).eval({image: data[:2]})
print(codes[mu.output].round(4), codes[log_sigma.output].round(4))
painter = decoder(C.input_variable(LATENT))
print(painter.eval({painter.arguments[0]: np.array([[0, 0], [1, -1]], np.float32)})[:, ::9].round(4))
