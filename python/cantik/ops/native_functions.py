"""What functions have under the names of CNTK's binding: results are put into dictionaries of the
caller's."""

from .. import _cantik

__all__ = ['NativeFunctions']


def _by_variable(given, found):
    """The values of a run, for good, by their variables."""
    found = found if isinstance(found, dict) else {given[0]: found}
    return {variable: value.deep_clone() for variable, value in found.items()}


class NativeFunctions:
    """Methods of CNTK's binding. eval, grad, load and the functions of the package are the shorter way."""

    max_num_outputs = 64  # of CNTK; there is no limit here

    def evaluate(self, arguments, outputs, computation_device=None):
        """Puts the values of outputs into a dictionary.

        Args:
            arguments (dict): from arguments to their data
            outputs (dict): its keys are the outputs that are wanted; its values are replaced by Values
            computation_device: where to run

        Example:
            >>> import cantik as C, numpy as np
            >>> x = C.input_variable(2)
            >>> y = x * 2
            >>> values = {y.output: None}
            >>> y.evaluate({x: np.array([[1, 2]], np.float32)}, values)
            >>> values[y.output].asarray()
            array([[2., 4.]], dtype=float32)
        """
        wanted = list(outputs)
        found = self.eval(arguments, outputs=wanted, device=computation_device, as_numpy=False)
        outputs.update(_by_variable(wanted, found))

    def gradients(self, arguments, gradients, outputs_to_evaluate=None, computation_device=None):
        """Puts gradients, summed over the samples, into a dictionary.

        Args:
            arguments (dict): from arguments to their data
            gradients (dict): its keys are the variables that gradients are wanted of; its values are replaced
              by Values
            outputs_to_evaluate (dict): likewise, for values of outputs
            computation_device: where to run

        Example:
            >>> import cantik as C, numpy as np
            >>> x, w = C.input_variable(2), C.parameter(2, init=1)
            >>> y, found = C.reduce_sum(x * w), {w: None}
            >>> y.gradients({x: np.array([[1, 2]], np.float32)}, found)
            >>> found[w].asarray()
            array([1., 2.], dtype=float32)
        """
        wanted, outputs = list(gradients), list(outputs_to_evaluate or ())
        found = self.grad(
            arguments, wrt=wanted, outputs=outputs or None, device=computation_device, as_numpy=False
        )
        if outputs:
            found, values = found
            outputs_to_evaluate.update(_by_variable(outputs, values))
        gradients.update(_by_variable(wanted, found))

    @staticmethod
    def load_from_buffer(model_buffer, computation_device=None):
        """A network from bytes; the same as load.

        Args:
            model_buffer (bytes): what a file holds
            computation_device: where its parameters are to live
        """
        if not isinstance(model_buffer, (bytes, bytearray, memoryview)):
            raise TypeError('a buffer of bytes was expected, not {}'.format(type(model_buffer).__name__))
        return _cantik.load_function(bytes(model_buffer), computation_device)

    @staticmethod
    def native_user_function(op_id, operands, attributes=None, user_function_instance_name=''):
        """An operator that register_native_user_function made known; the same as
        cantik.native_user_function."""
        return _cantik.native_user_function(op_id, operands, attributes, user_function_instance_name)

    @staticmethod
    def register_native_user_function(op_id, module_name, factory_method_name):
        """Makes an operator of a library known; the same as cantik.register_native_user_function."""
        _cantik.register_native_user_function(op_id, module_name, factory_method_name)

    def set_native(self, native):
        """No effect: a function knows itself whether it is one of a library.

        Args:
            native (bool): what CNTK is told
        """

    def module_name(self):
        """Raises, as in CNTK: the name is the binding's own. `serialize` tells what a file says of a user
        function."""
        raise _protected('ModuleName')

    def deserialize_method_name(self):
        """Raises, as in CNTK: the name is the binding's own. `serialize` tells what a file says of a user
        function."""
        raise _protected('DeserializeMethodName')

    def restore_from_checkpoint(self, dictionary):
        """Raises, as in CNTK: the method is the binding's own. `restore` takes a file.

        Args:
            dictionary: of a checkpoint
        """
        raise _protected('RestoreFromCheckpoint')


def _protected(name):
    return RuntimeError('accessing protected member {}'.format(name))
