"""Smaller and faster networks: convolutions of bits, factored dense layers."""
from . import custom_convolution_ops, factorization, quantization

native_convolve_function_registered = False


def try_register_native_convolve_function():
    """Says whether native convolutions of bits are there. They are built in: the operator binary_convolve.

    Example:
        >>> import cantik as C
        >>> C.contrib.netopt.try_register_native_convolve_function()
        >>> C.contrib.netopt.native_convolve_function_registered
        True
    """
    global native_convolve_function_registered
    native_convolve_function_registered = True


try_register_native_convolve_function()
