"""Parameters of policy gradients."""

from .parameters import Parameters

__all__ = ['PolicyGradientParameters']


class PolicyGradientParameters(Parameters):
    """What ActorCritic reads from its configuration.

    Args:
        config_file (str): the file; what it leaves out has its default

    Example:
        >>> PolicyGradientParameters('').update_frequency
        64
    """

    _TABLE = {
        'gamma': ('General', 'Gamma', float, 0.95),
        'preprocessing': ('General', 'PreProcessing', str, ''),
        'preprocessing_args': ('General', 'PreProcessingArgs', str, '()'),
        'shared_representation': ('PolicyGradient', 'SharedRepresentation', bool, False),
        'policy_representation': ('PolicyGradient', 'PolicyRepresentation', str, 'nn'),
        'value_function_representation': ('PolicyGradient', 'ValueFunctionRepresentation', str, 'nn'),
        'relative_step_size': ('PolicyGradient', 'RelativeStepSize', float, 0.5),
        'regularization_weight': ('PolicyGradient', 'RegularizationWeight', float, 0.001),
        'update_frequency': ('PolicyGradient', 'UpdateFrequency', int, 64),
        'initial_policy_network': ('PolicyGradient', 'InitialPolicy', str, ''),
        'policy_network_hidden_layers': ('NetworkModel', 'PolicyNetworkHiddenLayerNodes', str, '[10]'),
        'value_network_hidden_layers': ('NetworkModel', 'ValueNetworkHiddenLayerNodes', str, '[10]'),
        'initial_eta': ('Optimization', 'InitialEta', float, 0.001),
        'eta_decay_step_count': ('Optimization', 'EtaDecayStepCount', int, 100000),
        'eta_minimum': ('Optimization', 'EtaMinimum', float, 0.001),
        'momentum': ('Optimization', 'Momentum', float, 0.95),
    }
