"""REINFORCE in a corridor: gradients of episodes are gathered with grad, and a learner applies their sum."""

import numpy as np

import cntk as C


class Corridor(object):
    """Steps to the right end give a reward, in one of ten the other way is taken."""

    def __init__(self, length, seed):
        self.length, self.rng = length, np.random.RandomState(seed)

    def reset(self):
        self.at, self.steps = self.length // 2, 0
        return self.state()

    def state(self):
        v = np.zeros(self.length + 1, np.float32)
        v[self.at] = 1
        v[-1] = self.steps / 20.0
        return v

    def step(self, action):
        move = 1 if action == 1 else -1
        if self.rng.rand() < 0.1:
            move = -move
        self.steps += 1
        self.at = min(max(self.at + move, 0), self.length - 1)
        done = self.at in (0, self.length - 1) or self.steps >= 20
        return self.state(), 1.0 if self.at == self.length - 1 else -0.05, done


def discount_rewards(rewards, gamma=0.95):
    discounted, running = np.zeros((len(rewards), 1), np.float32), 0.0
    for i in reversed(range(len(rewards))):
        running = running * gamma + rewards[i]
        discounted[i] = running
    return discounted


C.cntk_py.set_fixed_random_seed(17)
rng = np.random.RandomState(5)
env = Corridor(7, seed=0)

observations = C.sequence.input_variable(8, np.float32, name='obs')
W1, b1 = C.parameter((8, 10), init=C.glorot_uniform(), name='W1'), C.parameter(10, name='b1')
W2, b2 = C.parameter((10, 1), init=C.glorot_uniform(), name='W2'), C.parameter(1, name='b2')
layer1 = C.relu(C.times(observations, W1) + b1)
probability = C.sigmoid(C.times(layer1, W2) + b2, name='prob')
input_y = C.sequence.input_variable(1, np.float32, name='y')
advantages = C.sequence.input_variable(1, np.float32, name='advt')
loss = -C.reduce_mean(C.log(C.square(input_y - probability) + 1e-4) * advantages, axis=0, name='loss')
print(loss.arguments)

learner = C.sgd(probability.parameters, C.learning_parameter_schedule_per_sample(0.1))
gradient_buffer = {p: np.zeros(p.shape, np.float32) for p in loss.parameters}
episode_rewards = []
for episode in range(1, 41):
    states, labels, rewards = [], [], []
    observation, done = env.reset(), False
    while not done:
        p = probability.eval(observation.reshape(1, 1, -1))[0][0, 0]
        action = 1 if rng.rand() < p else 0
        states.append(observation)
        labels.append(1 - action)
        observation, reward, done = env.step(action)
        rewards.append(reward)
    episode_rewards.append(sum(rewards))
    discounted = discount_rewards(rewards)
    discounted = (discounted - discounted.mean()) / (discounted.std() + 1e-8)
    arguments = {
        observations: [np.vstack(states)],
        input_y: [np.array(labels, np.float32).reshape(-1, 1)],
        advantages: [discounted.astype(np.float32)],
    }
    _, outputs = loss.forward(arguments, [loss.output], {loss.output})
    for p, g in loss.grad(arguments, wrt=list(loss.parameters)).items():
        gradient_buffer[p] += g
    if episode % 5 == 0:
        learner.update({p: C.NDArrayView.from_dense(g) for p, g in gradient_buffer.items()}, 5)
        for g in gradient_buffer.values():
            g[:] = 0
        print(
            'episode %2d reward %.4f steps %d loss %.6f'
            % (episode, np.mean(episode_rewards[-5:]), len(rewards), outputs[loss.output][0].sum())
        )
everywhere = np.eye(8, dtype=np.float32)[:7].reshape(1, 7, 8)
print(probability.eval(everywhere)[0].ravel().round(4))
