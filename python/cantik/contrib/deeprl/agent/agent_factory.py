"""Agents by their names in configuration files."""

from __future__ import annotations

import configparser
from typing import Any

from .policy_gradient import ActorCritic
from .qlearning import QLearning
from .random_agent import RandomAgent
from .tabular_qlearning import TabularQLearning

__all__ = ['make_agent']

_CONFIGURED = {'actor_critic': ActorCritic, 'qlearning': QLearning, 'tabular_qlearning': TabularQLearning}


def make_agent(agent_config: str, o_space: Any, a_space: Any) -> Any:
    """The agent that the section General of a configuration names by its key Agent: actor_critic, qlearning,
    tabular_qlearning or random.

    Args:
        agent_config (str): the file; without the key the agent is random
        o_space: space of observations, a Box, Discrete or MultiBinary
        a_space: space of actions, a Discrete

    Returns:
        ActorCritic, QLearning, TabularQLearning or RandomAgent

    Example:
        >>> from cantik.contrib.deeprl.tests.spaces import Discrete
        >>> with open('agent.ini', 'w') as file:
        ...     _ = file.write('[General]\\nAgent = tabular_qlearning')
        >>> type(make_agent('agent.ini', Discrete(5), Discrete(2))).__name__
        'TabularQLearning'
    """
    config = configparser.ConfigParser()
    config.read(agent_config)
    name = config.get('General', 'Agent', fallback='random').strip().lower()
    if name == 'random':
        return RandomAgent(o_space, a_space)
    if name not in _CONFIGURED:
        raise ValueError('Agent is random, {}, not {!r}'.format(', '.join(sorted(_CONFIGURED)), name))
    return _CONFIGURED[name](agent_config, o_space, a_space)
