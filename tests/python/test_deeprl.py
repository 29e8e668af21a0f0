"""Agents: what they do equals CNTK 2.7 draw by draw, they learn, and say what is wrong with a
configuration."""

import importlib.util
import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import cantik as C
from cantik.contrib.deeprl.agent.agent import AgentBaseClass
from cantik.contrib.deeprl.agent.agent_factory import make_agent
from cantik.contrib.deeprl.agent.shared import preprocessing
from cantik.contrib.deeprl.agent.shared.discretize import BoxSpaceDiscretizer
from cantik.contrib.deeprl.agent.shared.models import Models
from cantik.contrib.deeprl.agent.shared.qlearning_parameters import QLearningParameters
from cantik.contrib.deeprl.agent.shared.replay_memory import ReplayMemory
from cantik.contrib.deeprl.tests import spaces

GOLDEN = Path(__file__).resolve().parents[1] / 'golden'


def golden_script(name):
    spec = importlib.util.spec_from_file_location(name, GOLDEN / (name + '.py'))
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


AGENTS = golden_script('agents_cntk')
BOX, TWO = spaces.Box(np.zeros(2), np.ones(2)), spaces.Discrete(2)


def agent_of(tmp_path, text, observations=BOX, actions=TWO):
    path = tmp_path / 'agent.ini'
    path.write_text(text)
    return make_agent(str(path), observations, actions)


# ---- the same as CNTK


@pytest.mark.parametrize('case', AGENTS.CASES)
def test_agents_act_and_learn_as_in_cntk(case):
    want = json.loads((GOLDEN / 'agents_cntk.json').read_text())[case]
    found = AGENTS.run(make_agent, spaces, *AGENTS.CASES[case])
    np.testing.assert_allclose(found.pop('learned'), want.pop('learned'), rtol=1e-5)
    assert found == want


def test_screens_are_scaled_as_in_cntk():
    want = json.loads((GOLDEN / 'screens_cntk.json').read_text())
    found = golden_script('screens_cntk').pictures(preprocessing.AtariPreprocessing)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found[:, :4, :6], want['corner'], atol=1)
    np.testing.assert_allclose(found.sum(axis=2), want['rows'], atol=5)


# ---- an environment of one's own


class Balance:
    """A point on a line drifts away from the middle; action 1 pushes it right, 0 left. Each step inside of
    the bounds pays 1, an episode has at most 40."""

    def reset(self, draw):
        self.x, self.v, self.t = draw.uniform(-0.05, 0.05), draw.uniform(-0.05, 0.05), 0
        return self.seen()

    def seen(self):
        return np.array([self.x, self.v], np.float32)

    def step(self, action):
        self.v += 0.03 * self.x + (0.02 if action else -0.02)
        self.x += self.v
        self.t += 1
        return self.seen(), 1.0, abs(self.x) > 1 or self.t == 40


def played(agent, world, draw):
    """How many steps the agent holds out, in the mean of five episodes."""
    agent.enter_evaluation()
    steps = []
    for _ in range(5):
        seen, ends = world.reset(draw), False
        while not ends:
            seen, _, ends = world.step(agent.evaluate(seen))
        steps.append(world.t)
    agent.exit_evaluation()
    return np.mean(steps)


def trained(agent, world, draw, steps):
    while agent.step_count < steps:
        action, _ = agent.start(world.reset(draw))
        while True:
            seen, reward, ends = world.step(action)
            if ends:
                agent.end(reward, seen)
                break
            action, _ = agent.step(reward, seen)
    return agent


DEEP = (
    '[General]\nAgent = qlearning\nGamma = 0.95\n[QLearningAlgo]\nQRepresentation = {}\n'
    'InitialEpsilon = 0.5\n'
    'EpsilonDecayStepCount = 1500\nTargetQUpdateFrequency = 50\nQUpdateFrequency = 2\n{}\n'
    '[ExperienceReplay]\nStartSize = 100\n'
    '[Optimization]\nInitialEta = 0.005\nMomentum = 0.9\n[NetworkModel]\nHiddenLayerNodes = {}\n'
)
LEARNERS = {
    'dqn': (DEEP.format('dqn', '', '[16]'), 2500),
    'dueling, double': (DEEP.format('dueling-dqn', 'DoubleQLearning = True', '[16, [8], [8]]'), 2500),
    'actor-critic': (
        '[General]\nAgent = actor_critic\nGamma = 0.9\n[PolicyGradient]\nUpdateFrequency = 40\n'
        '[NetworkModel]\n'
        'PolicyNetworkHiddenLayerNodes = []\n[Optimization]\nInitialEta = 0.01\nEtaMinimum = 0.01\n'
        'Momentum = 0.9\n',
        6000,
    ),
    'table': (
        '[General]\nAgent = tabular_qlearning\nGamma = 0.95\n[QLearningAlgo]\n'
        'DiscretizationResolution = [9, 7]\n'
        '[Optimization]\nInitialEta = 0.3\nEtaMinimum = 0.05\nEtaDecayStepCount = 20000\n',
        20000,
    ),
}


@pytest.mark.parametrize('kind', LEARNERS)
def test_agents_learn(kind, tmp_path):
    np.random.seed(1)
    draw, world = np.random.RandomState(2), Balance()
    text, steps = LEARNERS[kind]
    agent = agent_of(tmp_path, text, spaces.Box(np.array([-1.2, -0.3]), np.array([1.2, 0.3])))
    before = played(agent_of(tmp_path, '[General]\nAgent = random'), world, draw)
    after = played(trained(agent, world, draw, steps), world, draw)
    assert before < 25 and after > 35, (before, after)
    agent.set_as_best_model()
    agent.save(str(tmp_path / 'best'))
    agent.save_parameter_settings(str(tmp_path / 'settings'))
    assert (tmp_path / 'best').stat().st_size and (tmp_path / 'settings').read_text().startswith('[General]')
    if kind == 'dqn':
        loaded, x = C.load_model(str(tmp_path / 'best')), np.array([[0.1, 0.2]], np.float32)
        np.testing.assert_array_equal(loaded.eval(x), agent._q.eval(x))


def test_an_initial_policy_is_restored(tmp_path):
    text = (
        '[General]\nAgent = actor_critic\n[PolicyGradient]\nInitialPolicy = {}\n[NetworkModel]\n'
        'PolicyNetworkHiddenLayerNodes = {}\n'
    )
    first = agent_of(tmp_path, text.format('', '[3]'))
    first.set_as_best_model()
    first.save(str(tmp_path / 'policy'))
    again, x = agent_of(tmp_path, text.format(tmp_path / 'policy', '[3]')), np.array([[0.1, 0.2]], np.float32)
    np.testing.assert_array_equal(again._policy_network.eval(x), first._policy_network.eval(x))
    for wrong in (
        dict(text=text.format(tmp_path / 'policy', '[4]')),
        dict(observations=spaces.Box(0, 1, (3,))),
        dict(actions=spaces.Discrete(3)),
    ):
        with pytest.raises((ValueError, RuntimeError)):
            agent_of(tmp_path, **{'text': text.format(tmp_path / 'policy', '[3]'), **wrong})


# ---- the parts


def test_priorities_decide_what_is_drawn():
    np.random.seed(0)
    memory = ReplayMemory(5, True)
    for i in range(13):
        memory.store(i, 0, 0.0, None, float(i % 4))
    held = {t.state: t.priority for _, t in memory.sample_minibatch(2000)}
    assert set(held) <= set(range(8, 13)) and 0 not in held.values()  # a priority of 0 is never drawn
    drawn = [t.state for _, t in memory.sample_minibatch(12000)]
    total = sum(float(i % 4) for i in range(8, 13))
    for state in held:
        assert abs(drawn.count(state) / 12000 - (state % 4) / total) < 0.01
    place = next(place for place, t in memory.sample_minibatch(50) if t.state == 9)
    memory.update_priority({place: 0.0})
    assert 9 not in {t.state for _, t in memory.sample_minibatch(500)}
    assert memory.size() == 5


def test_uniform_draws_come_once():
    memory = ReplayMemory(10)
    assert memory.sample_minibatch(3) == []
    for i in range(25):
        memory.store(i, 0, 0.0, None, None)
    assert sorted(t.state for _, t in memory.sample_minibatch(10)) == list(range(15, 25))
    assert len({t.state for _, t in memory.sample_minibatch(4)}) == 4
    with pytest.raises(ValueError, match='capacity of a memory must be at least 1'):
        ReplayMemory(0)


def test_grids():
    grid = BoxSpaceDiscretizer(spaces.Box(np.array([-1.2, -0.07]), np.array([0.6, 0.07])), 10)
    assert [grid.discretize(v) for v in ([-2, 0], [5, 0], [0.6, 0.07], [-1.2, -0.07])] == [
        5,
        95,
        99,
        0,
    ]  # as CNTK 2.7
    for resolution in (0, -1, 'a', None, 2.5, [10], np.array([1, 2, 3])):
        with pytest.raises(ValueError, match='resolution'):
            BoxSpaceDiscretizer(BOX, resolution)
    with pytest.raises(ValueError, match='finite bounds'):
        BoxSpaceDiscretizer(spaces.Box(-np.inf, np.inf, (2,)), 10)
    for value in ([0.5], [np.nan, 0.5], [[0.5, 0.5]]):
        with pytest.raises(ValueError, match='an observation has the shape'):
            grid.discretize(value)


def test_spaces_of_other_libraries():
    gymnasium = types.ModuleType('gymnasium_like')

    class Discrete:
        def __init__(self, n):
            self.n = np.int64(n)

    Discrete.__module__ = gymnasium.__name__
    agent = AgentBaseClass(Discrete(3), Discrete(2))
    assert agent._preprocess_state(1).tolist() == [0, 1, 0] and agent._preprocess_state(1).dtype == np.float32
    for observations, actions in ((spaces.Tuple([]), TWO), (3, TWO), (TWO, BOX), (TWO, None)):
        with pytest.raises(ValueError, match='an agent takes'):
            AgentBaseClass(observations, actions)


def test_windows():
    window = preprocessing.SlidingWindow((2,), 2, 'float64')
    assert window.output_shape() == (2, 2)
    assert window.preprocess(np.array([1.0, 2.0])).tolist() == [[0, 0], [1, 2]]
    assert window.preprocess(np.array([3.0, 4.0])).tolist() == [[1, 2], [3, 4]]
    window.reset()
    assert window.preprocess(np.array([5.0, 6.0])).tolist() == [[0, 0], [5, 6]]
    for wrong in (np.array([1, 2], np.float32), np.array([1.0])):
        with pytest.raises(ValueError, match='an observation is an array of float64'):
            window.preprocess(wrong)
    for length in (0, -1, 'a', None):
        with pytest.raises(TypeError, match='history_len'):
            preprocessing.SlidingWindow((2,), length)
    with pytest.raises(ValueError, match='a screen is'):
        preprocessing.AtariPreprocessing((210, 160, 3)).preprocess(np.zeros((210, 160), np.uint8))


@pytest.mark.parametrize('text', ['x', '[a]', '3', '[0]', '["a"]', '[-1]', ''])
def test_layers_that_are_none(text):
    with pytest.raises(ValueError):
        Models.feedforward_network((2,), 2, text)
    with pytest.raises(ValueError):
        Models.dueling_network((2,), 2, text)


def test_parameters(tmp_path):
    path = tmp_path / 'a.ini'
    path.write_text(
        '[General]\nGamma = 0.5\n[QLearningAlgo]\nErrorClipping = no\nDiscretizationResolution = [3, 4]\n'
    )
    p = QLearningParameters(str(path))
    assert (p.gamma, p.use_error_clipping, p.discretization_resolution.tolist(), p.minibatch_size) == (
        0.5,
        False,
        [3, 4],
        32,
    )
    p.save(str(tmp_path / 'b.ini'))
    assert (tmp_path / 'b.ini').read_text().split() == path.read_text().split()
    for line in (
        'MinibatchSize = many',
        'ErrorClipping = maybe',
        'DiscretizationResolution = __import__("os")',
        'MinibatchSize = 2.5',
    ):
        path.write_text('[QLearningAlgo]\n' + line)
        with pytest.raises(ValueError, match=line.partition(' ')[0]):
            QLearningParameters(str(path))


# ---- names in configurations


def test_a_program_gives_networks_and_windows_of_its_own(tmp_path):
    module = types.ModuleType('own_parts')

    def own_network(shape_of_inputs, number_of_outputs, loss_function=None, use_placeholder_for_input=False):
        made = Models.feedforward_network(
            shape_of_inputs, number_of_outputs, '[]', loss_function, use_placeholder_for_input
        )
        module.seen = shape_of_inputs
        return made

    class Pair(preprocessing.SlidingWindow):
        def __init__(self, input_shape):
            super().__init__(input_shape, 2)

    module.own_network, module.Pair = own_network, Pair
    sys.modules['own_parts'] = module
    try:
        for text in (
            '[General]\nAgent = qlearning\nPreProcessing = own_parts.Pair\n[QLearningAlgo]\n'
            'QRepresentation = own_parts.own_network\n',
            '[General]\nAgent = actor_critic\nPreProcessing = own_parts.Pair\n'
            '[PolicyGradient]\nPolicyRepresentation = own_parts.own_network\n'
            'ValueFunctionRepresentation = own_parts.own_network\n',
        ):
            agent = agent_of(tmp_path, text)
            assert module.seen == (2, 2)
            agent.start(np.array([0.1, 0.2], np.float32))
            agent.end(1.0, np.array([0.1, 0.2], np.float32))
    finally:
        del sys.modules['own_parts']


def test_a_configuration_imports_nothing(tmp_path, monkeypatch):
    (tmp_path / 'never_imported.py').write_text('raise SystemExit("a file ran code")')
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ('never_imported.network', 'undefined', 'os.no_such_thing', ''):
        with pytest.raises(ValueError, match='names no function or class'):
            agent_of(tmp_path, '[General]\nAgent = qlearning\n[QLearningAlgo]\nQRepresentation = ' + name)
    with pytest.raises(ValueError):
        agent_of(
            tmp_path,
            '[General]\nAgent = qlearning\n'
            'PreProcessing = cntk.contrib.deeprl.agent.shared.preprocessing.SlidingWindow\n'
            'PreProcessingArgs = (__import__("os"),)\n[QLearningAlgo]\nQRepresentation = dqn',
        )
    with pytest.raises(ValueError, match='Agent is random, actor_critic'):
        agent_of(tmp_path, '[General]\nAgent = nobody')
    with pytest.raises(ValueError, match='QRepresentation = tabular'):
        agent_of(tmp_path, '[General]\nAgent = tabular_qlearning\n[QLearningAlgo]\nQRepresentation = dqn')


@pytest.mark.parametrize('text', [AGENTS.TABULAR, LEARNERS['dqn'][0], LEARNERS['actor-critic'][0]])
def test_agents_called_out_of_turn(text, tmp_path):
    agent = agent_of(tmp_path, text)
    with pytest.raises(RuntimeError, match='step and end follow start'):
        agent.step(1.0, np.zeros(2, np.float32))
    with pytest.raises(RuntimeError, match='set_as_best_model first'):
        agent.save(str(tmp_path / 'best'))


def test_an_agent_of_ones_own():
    agent = AgentBaseClass(TWO, TWO)
    for call in (
        lambda: agent.start(0),
        lambda: agent.step(1.0, 0),
        lambda: agent.end(1.0, 0),
        agent.set_as_best_model,
        lambda: agent.save('x'),
        lambda: agent.save_parameter_settings('x'),
        lambda: agent.evaluate(0),
    ):
        with pytest.raises(NotImplementedError, match='AgentBaseClass has to implement'):
            call()
