"""Q-learning of a cart: a replay memory, a target network that is a clone of the other."""

import random
from collections import deque

import numpy as np

import cntk as C

C.cntk_py.set_fixed_random_seed(1234)
np.random.seed(1)
random.seed(1)
STATES, ACTIONS, GAMMA, BATCH = 2, 3, 0.9, 16


class Cart(object):
    def reset(self):
        self.at, self.speed, self.steps = 0.0, 0.0, 0
        return np.array([self.at, self.speed], np.float32)

    def step(self, action):
        self.speed += 0.1 * (action - 1)
        self.at += self.speed
        self.steps += 1
        return np.array([self.at, self.speed], np.float32), -abs(self.at - 1), self.steps >= 15


class Brain(object):
    def __init__(self):
        observation = C.sequence.input_variable(STATES, np.float32, name='s')
        q_target = C.sequence.input_variable(ACTIONS, np.float32, name='q')
        l1, l2 = C.layers.Dense(12, activation=C.relu), C.layers.Dense(ACTIONS)
        self.model = C.layers.Sequential([l1, l2])(observation)
        self.params = dict(W1=l1.W, b1=l1.b, W2=l2.W, b2=l2.b)
        self.loss = C.reduce_mean(C.square(self.model - q_target), axis=0)
        error = C.reduce_mean(C.square(self.model - q_target), axis=0)
        learner = C.sgd(
            self.model.parameters,
            C.learning_parameter_schedule(0.00025),
            gradient_clipping_threshold_per_sample=10,
        )
        self.trainer = C.Trainer(self.model, (self.loss, error), learner)
        self.target = self.model.clone('clone')

    def train(self, x, y):
        self.trainer.train_minibatch(dict(zip(self.loss.arguments, [x, y])), device=C.device.cpu())

    def predict(self, s, target=False):
        model = self.target if target else self.model
        return np.vstack(model.eval(dict(zip(model.arguments, [s])))).reshape(-1, ACTIONS)


brain, memory, cart = Brain(), deque(maxlen=200), Cart()
print(brain.loss.arguments, sorted((k, p.shape) for k, p in brain.params.items()))
steps = 0
for episode in range(12):
    state, total, done = cart.reset(), 0, False
    while not done:
        epsilon = 0.05 + 0.95 * np.exp(-0.01 * steps)
        greedy = random.random() >= epsilon
        action = int(np.argmax(brain.predict(state[None])[0])) if greedy else random.randint(0, ACTIONS - 1)
        following, reward, done = cart.step(action)
        memory.append((state, action, reward, None if done else following))
        steps += 1
        batch = random.sample(list(memory), min(BATCH, len(memory)))
        states = np.array([s for s, _, _, _ in batch], np.float32)
        later = np.array([np.zeros(STATES) if f is None else f for _, _, _, f in batch], np.float32)
        q, q_later = brain.predict(states), brain.predict(later, target=True)
        for i, (_, a, r, f) in enumerate(batch):
            q[i, a] = r if f is None else r + GAMMA * np.amax(q_later[i])
        brain.train(states, q)
        state, total = following, total + reward
    if episode % 3 == 0:
        brain.target = brain.model.clone(C.CloneMethod.clone)
    print(
        episode,
        '%.4f %.6f %d'
        % (
            total,
            brain.trainer.previous_minibatch_loss_average,
            brain.trainer.previous_minibatch_sample_count,
        ),
    )
