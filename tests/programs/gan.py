import numpy as np

import cntk as C
from cntk.layers import Dense, Dropout, Sequential, default_options

# A generative adversarial network of two trainers learns a ring in the plane.

isFast = True
NOISE, HIDDEN, MINIBATCH = 4, 24, 32
STEPS = 40 if isFast else 4000
C.cntk_py.set_fixed_random_seed(1)
np.random.seed(4)


def noise_sample(count):
    return np.random.uniform(low=-1.0, high=1.0, size=[count, NOISE]).astype(np.float32)


def ring_sample(count):
    angle = np.random.uniform(0, 2 * np.pi, count)
    radius = 1 + 0.05 * np.random.randn(count)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).astype(np.float32)


def generator(z):
    with default_options(init=C.xavier()):
        h1 = Dense(HIDDEN, activation=C.relu)(z)
        h2 = Dense(HIDDEN, C.tanh)(h1)
        return Dense(2, activation=None, name='fake')(h2)


def discriminator(x):
    with default_options(init=C.xavier(scale=0.8)):
        return Sequential(
            [
                Dense(HIDDEN, activation=lambda v: C.leaky_relu(v, 0.2)),
                Dropout(0.2),
                Dense(HIDDEN, activation=lambda v: C.element_max(v, 0.1 * v)),
                Dense(1, activation=C.sigmoid),
            ]
        )(x)


def build_graph():
    Z = C.input_variable(NOISE, name='Z')
    X_real = C.input_variable(2, name='X_real')
    X_real_scaled = X_real * 0.5

    X_fake = generator(Z)
    D_real = discriminator(X_real_scaled)
    D_fake = D_real.clone(method='share', substitutions={X_real_scaled.output: X_fake.output})

    G_loss = 1.0 - C.log(D_fake)
    D_loss = -(C.log(D_real) + C.log(1.0 - D_fake))
    G_learner = C.adam(
        X_fake.parameters,
        lr=C.learning_rate_schedule(0.0005, unit=C.UnitType.minibatch),
        momentum=C.momentum_schedule(0.5),
        gradient_clipping_threshold_per_sample=1.0,
    )
    D_learner = C.adam(
        D_real.parameters,
        lr=C.learning_rate_schedule(0.001, unit=C.UnitType.minibatch),
        momentum=C.momentum_schedule(0.5),
    )
    G_trainer = C.Trainer(X_fake, (G_loss, None), G_learner)
    D_trainer = C.Trainer(D_real, (D_loss, None), D_learner)
    print([len(f.parameters) for f in (X_fake, D_real, D_fake)], [a.name for a in D_loss.arguments])
    return X_real, X_fake, D_fake, Z, G_trainer, D_trainer


X_real, X_fake, D_fake, Z, G_trainer, D_trainer = build_graph()
for step in range(STEPS):
    for k in range(2):
        D_trainer.train_minibatch({X_real: ring_sample(MINIBATCH), Z: noise_sample(MINIBATCH)})
    G_trainer.train_minibatch({Z: noise_sample(MINIBATCH)})
    if step < 5 or step % 10 == 9:
        print(
            '%3d D %.5f G %.5f'
            % (step, D_trainer.previous_minibatch_loss_average, G_trainer.previous_minibatch_loss_average)
        )

radius = np.hypot(*X_fake.eval({Z: noise_sample(200)}).T)
print('radius %.4f +- %.4f' % (radius.mean(), radius.std()))
np.set_printoptions(precision=4, suppress=True)
print(D_fake.eval({Z: noise_sample(5)}))
