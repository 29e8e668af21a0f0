"""Parameters of agents, read from configuration files."""

from __future__ import annotations

import configparser


class Parameters:
    """Attributes with values from a configuration file, or their defaults. A class derived from it lists
    them.

    Args:
        config_file (str): the file; where there is none, all defaults hold
    """

    # attribute: (section of the file, key, type, default)
    _TABLE = {}

    def __init__(self, config_file: str):
        self.config = configparser.ConfigParser()
        self.config.optionxform = str  # keys are told apart by case
        self.config.read(config_file)
        for attribute, (section, key, kind, default) in self._TABLE.items():
            setattr(self, attribute, self._value(section, key, kind, default))

    def _value(self, section, key, kind, default):
        text = self.config.get(section, key, fallback=None)
        if text is None:
            return default
        try:
            return configparser.ConfigParser.BOOLEAN_STATES[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError, SyntaxError):
            raise ValueError(
                f'{key} in the section {section} has to be a {kind.__name__}, not {text!r}'
            ) from None

    def save(self, config_file: str) -> None:
        """Writes what was read to another file.

        Args:
            config_file (str): the file
        """
        with open(config_file, 'w') as file:
            self.config.write(file)
