"""The whole way from a configuration file to a network of this package."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import adapter
from .unimodel import cntkinstance
from .utils import globalconf
from .validation import validcore

if TYPE_CHECKING:
    from ...ops.functions import Function

__all__ = ['CaffeConverter']


class CaffeConverter:
    """Converts networks of Caffe."""

    @staticmethod
    def from_model(conf_path: str) -> Function | None:
        """Reads a network of Caffe and writes it as one of this package.

        The configuration is a file of JSON::

            {
                "SourceSolver": {"Source": "Caffe", "ModelPath": "n.prototxt", "WeightsPath": "n.caffemodel"},
                "ModelSolver": {"CntkModelPath": "n.model"},
            }

        Without CntkModelPath nothing is written. "Tensor" of SourceSolver has the shapes of inputs that the
        prototxt does not tell, {"data": [3, 224, 224]}; "Phase" is 0 for the layers of training, 1 for those
        of use.

        Args:
            conf_path (str): the configuration

        Returns:
            the network: a function, whose outputs are the layers that no other layer reads. Each function and
            parameter has the name of its layer.

        Raises:
            NotImplementedError: for kinds of layers that are not known, with their names
            ValueError: for files that are damaged or do not fit each other

        Example:
            >>> import json
            >>> from cantik.contrib.crosstalkcaffe import CaffeConverter
            >>> prototxt = '''
            ... input: "x" input_shape { dim: 1 dim: 3 }
            ... layer { name: "y" type: "ReLU" bottom: "x" top: "y" }'''
            >>> with open('net.prototxt', 'w') as file:
            ...     _ = file.write(prototxt)
            >>> with open('net.json', 'w') as file:
            ...     json.dump({'SourceSolver': {'Source': 'Caffe', 'ModelPath': 'net.prototxt'}}, file)
            >>> CaffeConverter.from_model('net.json')([[-1, 0, 2]])
            array([[0., 0., 2.]], dtype=float32)
        """
        configuration = globalconf.load_conf(conf_path)
        source = configuration.source_solver.source
        if source not in adapter.ADAPTER_DICT:
            raise ValueError(
                'the source {!r} is unknown; these are known: {}'.format(
                    source, ', '.join(adapter.ADAPTER_DICT)
                )
            )
        instance = cntkinstance.CntkApiInstance(
            adapter.ADAPTER_DICT[source].load_model(configuration), configuration
        )
        validcore.Validator(configuration, instance.get_functions()).activate()
        if configuration.model_solver.cntk_model_path:
            instance.export_model()
        return instance.get_model()
