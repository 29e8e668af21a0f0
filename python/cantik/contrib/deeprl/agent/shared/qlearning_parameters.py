"""Parameters of Q-learning."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from .parameters import Parameters

__all__ = ['QLearningParameters']


def resolution(text: str) -> Any:
    """A whole number, or lists of such as an array."""
    value = ast.literal_eval(text)
    return value if isinstance(value, int) else np.array(value, np.int64)


class QLearningParameters(Parameters):
    """What TabularQLearning and QLearning read from their configuration.

    Args:
        config_file (str): the file; what it leaves out has its default

    Example:
        >>> QLearningParameters('').gamma
        0.95
    """

    _TABLE = {
        'gamma': ('General', 'Gamma', float, 0.95),
        'preprocessing': ('General', 'PreProcessing', str, ''),
        'preprocessing_args': ('General', 'PreProcessingArgs', str, '()'),
        'q_representation': ('QLearningAlgo', 'QRepresentation', str, 'tabular'),
        'initial_epsilon': ('QLearningAlgo', 'InitialEpsilon', float, 0.1),
        'epsilon_decay_step_count': ('QLearningAlgo', 'EpsilonDecayStepCount', int, 100000),
        'epsilon_minimum': ('QLearningAlgo', 'EpsilonMinimum', float, 0.01),
        'initial_eta': ('Optimization', 'InitialEta', float, 0.001),
        'eta_decay_step_count': ('Optimization', 'EtaDecayStepCount', int, 100000),
        'eta_minimum': ('Optimization', 'EtaMinimum', float, 0.001),
        'momentum': ('Optimization', 'Momentum', float, 0.95),
        'gradient_clipping_threshold': ('Optimization', 'GradientClippingThreshold', float, math.inf),
        'initial_q': ('QLearningAlgo', 'InitialQ', float, 0.0),
        'discretization_resolution': ('QLearningAlgo', 'DiscretizationResolution', resolution, 10),
        'target_q_update_frequency': ('QLearningAlgo', 'TargetQUpdateFrequency', int, 10000),
        'minibatch_size': ('QLearningAlgo', 'MinibatchSize', int, 32),
        'replays_per_update': ('QLearningAlgo', 'ReplaysPerUpdate', int, 1),
        'q_update_frequency': ('QLearningAlgo', 'QUpdateFrequency', int, 4),
        'use_error_clipping': ('QLearningAlgo', 'ErrorClipping', bool, True),
        'double_q_learning': ('QLearningAlgo', 'DoubleQLearning', bool, False),
        'replay_memory_capacity': ('ExperienceReplay', 'Capacity', int, 100000),
        'replay_start_size': ('ExperienceReplay', 'StartSize', int, 5000),
        'use_prioritized_replay': ('ExperienceReplay', 'Prioritized', bool, False),
        'priority_alpha': ('ExperienceReplay', 'PriorityAlpha', float, 0.7),
        'priority_beta': ('ExperienceReplay', 'PriorityBeta', float, 0.5),
        'priority_epsilon': ('ExperienceReplay', 'PriorityEpsilon', float, 0.01),
        'hidden_layers': ('NetworkModel', 'HiddenLayerNodes', str, '[20]'),
    }
