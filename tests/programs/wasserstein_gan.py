"""A Wasserstein GAN: the critic's weights are clipped after each of its updates, by a function that assigns
them."""

import numpy as np

import cntk as C

rng = np.random.RandomState(0)


def network(outputs, seed):
    return C.layers.Sequential(
        [
            C.layers.Dense(8, activation=C.tanh, init=C.glorot_uniform(seed=seed)),
            C.layers.Dense(outputs, init=C.glorot_uniform(seed=seed + 1)),
        ]
    )


noise, real = C.input_variable(2), C.input_variable(2)
made = network(2, 1)(noise)
of_real = network(1, 3)(real)
of_made = of_real.clone('share', {real: made.output})
rate = C.learning_parameter_schedule(0.05)
generator = C.Trainer(made, (-of_made, None), [C.rmsprop(made.parameters, rate, 0.9, 1.1, 0.9, 1.1, 0.9)])
learner = C.rmsprop(
    of_real.parameters, rate, 0.9, 1.1, 0.9, 1.1, 0.9, gradient_clipping_threshold_per_sample=1.0
)
critic = C.Trainer(of_real, (of_made - of_real, None), [learner])
clip = C.combine([C.assign(p, C.clip(p, -0.1, 0.1)) for p in of_real.parameters])
for _ in range(8):
    for _ in range(3):
        truth = (rng.randn(16, 2) * 0.3 + 1).astype(np.float32)
        critic.train_minibatch({real: truth, noise: rng.randn(16, 2).astype(np.float32)})
        clip.eval()
    generator.train_minibatch({noise: rng.randn(16, 2).astype(np.float32)})
    print(
        '%.5f %.5f' % (critic.previous_minibatch_loss_average, generator.previous_minibatch_loss_average),
        np.round(max(np.abs(p.value).max() for p in of_real.parameters), 4),
    )
print(np.round(made.eval({noise: np.ones((1, 2), np.float32)}), 4))
print(generator.total_number_of_samples_seen, critic.total_number_of_samples_seen)
