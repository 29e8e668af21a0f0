"""The base of readers of other toolkits' models."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ....contrib.crosstalkcaffe.unimodel.cntkmodel import CntkModelDescription
    from ....contrib.crosstalkcaffe.utils.globalconf import GlobalConf

__all__ = ['Adapter']


class Adapter:
    """The base of readers: one for another toolkit derives from it and gives load_model."""

    def load_model(self, global_conf: GlobalConf) -> CntkModelDescription:
        """Reads a model.

        Args:
            global_conf (GlobalConf): what is read

        Returns:
            CntkModelDescription
        """
        raise NotImplementedError(f'{type(self).__name__} has to implement load_model')
