"""The other toolkit's results, for a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ....contrib.crosstalkcaffe.utils.globalconf import SourceSolverConf

__all__ = ['CaffeValidCore', 'ValidCore']


class ValidCore:
    """The base of programs that run the other toolkit."""

    @staticmethod
    def execute(source_solver: SourceSolverConf, valid_dir: str) -> Any:
        """Runs the other toolkit.

        Args:
            source_solver (SourceSolverConf): the network
            valid_dir (str): where its results are written
        """
        raise NotImplementedError('a ValidCore has to implement execute')


class CaffeValidCore(ValidCore):
    """Caffe is not run here."""

    @staticmethod
    def execute(source_solver: SourceSolverConf, valid_dir: str) -> Any:
        """Raises: Caffe is not run here.

        Args:
            source_solver (SourceSolverConf): the network
            valid_dir (str): where its results were to be written
        """
        raise NotImplementedError(
            'Caffe is not run here: compare the results of get_functions() with those of its own '
            'Python interface, and leave ValidSolver out of the configuration'
        )
