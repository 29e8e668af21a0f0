#!/usr/bin/env python3
"""Runs agents of cntk.contrib.deeprl on an environment that draws nothing, with one seed: actions, and
numbers they learned.

    agents_cntk.py agents_cntk.json

Runs under CNTK 2.7. tests/python/test_deeprl.py runs the same with this package and compares.
"""

import json
import random
import sys
import tempfile
from pathlib import Path

import numpy as np

TABULAR = (
    '[General]\nAgent = tabular_qlearning\n'
    '[QLearningAlgo]\nInitialEpsilon = 0.5\nEpsilonDecayStepCount = 150\n'
    '[Optimization]\nInitialEta = 0.3\nEtaDecayStepCount = 120\nEtaMinimum = 0.05\n'
)
DEEP = (
    '[General]\nAgent = qlearning\nGamma = 0.9\n[QLearningAlgo]\nQRepresentation = {}\nInitialEpsilon = 0.5\n'
    'EpsilonDecayStepCount = 150\nQUpdateFrequency = 3\nMinibatchSize = 8\nTargetQUpdateFrequency = 10\n{}\n'
    '[ExperienceReplay]\nStartSize = 15\nCapacity = 40\n{}\n[Optimization]\nInitialEta = 0.01\n{}\n'
    '[NetworkModel]\nHiddenLayerNodes = {}\n'
)
CRITIC = (
    '[General]\nAgent = actor_critic\nGamma = 0.9\n[PolicyGradient]\nUpdateFrequency = 5\n{}\n'
    '[Optimization]\nInitialEta = 0.05\nEtaDecayStepCount = 100\n'
)
CASES = {
    'table': (TABULAR, 'cell'),
    'table of a box': (TABULAR + '[QLearningAlgo2]\n', 'box'),
    'network': (DEEP.format('dqn', '', '', '', '[6]'), 'box'),
    'network, plain errors, twice an update': (
        DEEP.format('dqn', 'ErrorClipping = False\nReplaysPerUpdate = 2', '', '', '[6]'),
        'box',
    ),
    'network of cells, double, clipped': (
        DEEP.format('dqn', 'DoubleQLearning = True', '', 'GradientClippingThreshold = 0.01', '[6]'),
        'cell',
    ),
    'dueling': (DEEP.format('dueling-dqn', '', '', '', '[5, [4], [3]]'), 'box'),
    'priorities': (DEEP.format('dqn', '', 'Prioritized = True', '', '[6]'), 'box'),
    'critic': (CRITIC.format(''), 'box'),
    'critic on a shared network': (CRITIC.format('SharedRepresentation = True'), 'bits'),
}


def corridor(state, action):
    """Five cells in a row; action 1 goes right, 0 left. The last cell pays 1 and ends the episode, a step
    costs 0.01."""
    state = max(0, state - 1) if action == 0 else state + 1
    return state, (1.0 if state == 4 else -0.01), state == 4


def seen(state, kind):
    if kind == 'cell':
        return state
    return (
        np.array([state / 4, 1 - state / 8], np.float32)
        if kind == 'box'
        else np.eye(4, dtype=np.float32)[min(state, 3)]
    )


def set_weights(network, offset):
    """First values that two systems can share."""
    for i, p in enumerate(network.parameters):
        n = int(np.prod(p.shape))
        p.value = (np.sin(np.arange(n) * 1.7 + i + offset) * 0.6).reshape(p.shape).astype(np.float32)


def run(make_agent, spaces, config, kind, steps=120):
    """Actions of an agent, and in the end what it learned."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / 'agent.ini')
        Path(path).write_text(config)
        np.random.seed(3)
        random.seed(3)
        space = dict(
            cell=spaces.Discrete(5), box=spaces.Box(np.zeros(2), np.ones(2)), bits=spaces.MultiBinary(4)
        )[kind]
        agent = make_agent(path, space, spaces.Discrete(2))
    if hasattr(agent, '_q') and not isinstance(agent._q, np.ndarray):
        set_weights(agent._q, 0)
        set_weights(agent._target_q, 0)
    elif hasattr(agent, '_value_network'):
        set_weights(agent._value_network, 1)
        set_weights(agent._policy_network, 0)
    actions, state, count = [], 0, 0
    action = agent.start(seen(state, kind))[0]
    while count < steps:
        actions.append(int(action))
        state, reward, ends = corridor(state, action)
        count += 1
        if not ends and count % 17:
            action = agent.step(reward, seen(state, kind))[0]
            continue
        if ends:  # otherwise it is broken off: the next episode starts without an end
            agent.end(reward, seen(state, kind))
        state = 0
        action = agent.start(seen(state, kind))[0]
    if hasattr(agent, '_policy_network'):
        learned = [p.value for f in (agent._policy_network, agent._value_network) for p in f.parameters]
    else:
        learned = [agent._q] if isinstance(agent._q, np.ndarray) else [p.value for p in agent._q.parameters]
    agent.enter_evaluation()
    best = [] if hasattr(agent, '_policy_network') else [int(agent.evaluate(seen(s, kind))) for s in range(4)]
    return {
        'actions': ''.join(map(str, actions)),
        'steps': agent.step_count,
        'episodes': agent.episode_count,
        'best': best,
        'learned': [float(np.abs(v).sum()) for v in learned],
    }


if __name__ == '__main__':
    from cntk.contrib.deeprl.agent.agent_factory import make_agent
    from cntk.contrib.deeprl.tests import spaces

    found = {name: run(make_agent, spaces, *case) for name, case in CASES.items()}
    Path(sys.argv[1]).write_text(json.dumps(found, indent=1, sort_keys=True) + '\n')
