"""Comparison of a network with the other toolkit's results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import validcaffe

if TYPE_CHECKING:
    from ....contrib.crosstalkcaffe.utils.globalconf import GlobalConf

__all__ = ['VALID_CORES', 'Validator']

VALID_CORES = {'Caffe': validcaffe.CaffeValidCore()}


class Validator:
    """Runs the other toolkit where a configuration asks for it.

    Args:
        global_conf (GlobalConf): whose valid_solver says what is compared; with nothing in it nothing is done
        functions (dict): the network's functions by their names
    """

    def __init__(self, global_conf: GlobalConf, functions: Any):
        self._configuration, self._functions = global_conf, functions

    def activate(self) -> None:
        """Runs the other toolkit, where a comparison is asked for."""
        asked = self._configuration.valid_solver
        if asked.save_path or asked.val_inputs or asked.val_nodes:
            source = self._configuration.source_solver
            VALID_CORES[source.source].execute(source, asked.save_path)

    def val_network(self) -> bool:
        """Whether a comparison was made.

        Returns:
            False
        """
        self.activate()
        return False
