"""The program of "cntk.contrib.netopt.custom_convolution_ops", and the figures it gives. Runs on CNTK 2.7 and on Cantik:

    python tests/documents/custom_convolution_ops.py > tests/documents/custom_convolution_ops.json   # with CNTK's python

The printed text has lost the ends of its lines, which stand here again, without its comments. MENDS says what else is not as it is printed.
"""
import json
import sys

MENDS = [
    ('return output_values[self.grad.output]', 'SignWithEstimation.backward is printed with "C.output_values", which there is not: the gradient of CustomSign could not run'),
    ('hot_vals = C.greater(bit_map, i)', 'MultibitKernel.multiFunc is printed with "(np.greater(bit_map, i)).as_type(float)": bit_map is a constant of the graph, and arrays have no as_type'),
]

# ---- as it is printed, with these mends

import numpy as np
import cntk as C
from cntk.ops.functions import UserFunction


class SignWithEstimation(UserFunction):
    def __init__(self, arg, name='SignWithEstimation'):
        super(SignWithEstimation, self).__init__([arg], as_numpy=False, name=name)
        self.action, self.actionArg = self.signFunc(arg)
        self.grad, self.gradArg, self.gradRoot = self.gradFunc(arg)

    def signFunc(self, arg):
        signIn = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        actionfunc = C.greater(signIn, 0)
        return C.element_select(actionfunc, actionfunc, -1), signIn

    def gradFunc(self, arg):
        gradIn = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        gradRoot = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        signGrad = C.abs(gradIn)
        signGrad = C.less_equal(signGrad, 1)
        return C.element_times(gradRoot, signGrad), gradIn, gradRoot

    def forward(self, argument, device, outputs_to_retain):
        _, output_values = self.action.forward({self.actionArg: argument}, self.action.outputs, device=device, as_numpy=False)
        return argument.deep_clone(), output_values[self.action.output]

    def backward(self, state, root_gradients):
        val = state
        _, output_values = self.grad.forward({self.gradArg: val, self.gradRoot: root_gradients}, self.grad.outputs, device=state.device(), as_numpy=False)
        return output_values[self.grad.output]

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]


class pySign(UserFunction):
    def __init__(self, arg, name='pySign'):
        super(pySign, self).__init__([arg], name=name)

    def forward(self, argument, device=None, outputs_to_retain=None):
        sign = np.sign(argument)
        np.place(sign, sign==0, -1)
        return argument, sign

    def backward(self, state, root_gradients):
        input = state
        grad = np.abs(input)
        grad = np.less_equal(grad, 1)
        return grad*root_gradients

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]


class MultibitKernel(UserFunction):
    def __init__(self, arg1, arg2, name='MultibitKernel'):
        super(MultibitKernel, self).__init__([arg1], as_numpy=False, name=name)
        self.bit_map = arg2
        self.action, self.actionArg = self.multiFunc(arg1)
        self.grad, self.gradArg, self.gradRoot = self.gradFunc(arg1)

    def multiFunc(self, arg1):
        multiIn = C.input(shape=arg1.shape, dynamic_axes = arg1.dynamic_axes)
        bit_map = C.constant(self.bit_map)
        max_bits = self.bit_map.max()
        shape = multiIn.shape
        reformed = C.reshape(multiIn, (-1,))
        carry_over = multiIn
        approx = C.element_times(multiIn, 0)
        for i in range(max_bits):
            hot_vals = C.greater(bit_map, i)
            valid_vals = C.element_select(hot_vals, carry_over, 0)
            mean = C.element_divide(C.reduce_sum(C.reshape(C.abs(valid_vals), (valid_vals.shape[0], -1)), axis=1), C.reduce_sum(C.reshape(hot_vals, (hot_vals.shape[0], -1)), axis=1))
            mean = C.reshape(mean, (mean.shape[0], mean.shape[1], 1, 1))
            bits = C.greater(carry_over, 0)
            bits = C.element_select(bits, bits, -1)
            bits = C.element_select(hot_vals, bits, 0)
            approx = C.plus(approx, C.element_times(mean, bits))
            carry_over = C.plus(C.element_times(C.element_times(-1, bits), mean), carry_over)
        return approx, multiIn

    def gradFunc(self, arg):
        gradIn = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        gradRoot = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        signGrad = C.abs(gradIn)
        bit_map = C.constant(self.bit_map)
        signGrad = C.less_equal(signGrad, bit_map)
        outGrad = signGrad
        outGrad = C.element_times(gradRoot, outGrad)
        return outGrad, gradIn, gradRoot

    def forward(self, argument, device, outputs_to_retain):
        _, output_values = self.action.forward({self.actionArg: argument}, self.action.outputs, device=device, as_numpy=False)
        return argument.deep_clone(), output_values[self.action.output]

    def backward(self, state, root_gradients):
        val = state
        _, output_values = self.grad.forward({self.gradArg: val, self.gradRoot: root_gradients}, self.grad.outputs, device=state.device(), as_numpy=False)
        return output_values[self.grad.output]

    def infer_outputs(self):
        return [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]


class Multibit(UserFunction):
    def __init__(self, arg1, arg2, name='Multibit'):
        super(Multibit, self).__init__([arg1], as_numpy=False, name=name)
        self.bit_map = arg2

    def multiFunc(self, arg1):
        multiIn = C.input(shape=arg1.shape, dynamic_axes = arg1.dynamic_axes)
        bit_map = C.constant(self.bit_map)
        max_bits = self.bit_map.max()
        shape = multiIn.shape
        reformed = C.reshape(multiIn, (-1,))
        carry_over = multiIn
        approx = C.element_times(multiIn, 0)
        for i in range(max_bits):
            hot_vals = C.greater(bit_map, i)
            valid_vals = C.element_select(hot_vals, carry_over, 0)
            mean = C.element_divide(C.reduce_sum(C.abs(valid_vals)), C.reduce_sum(hot_vals))
            bits = C.greater(carry_over, 0)
            bits = C.element_select(bits, bits, -1)
            bits = C.element_select(hot_vals, bits, 0)
            approx = C.plus(approx, C.element_times(mean, bits))
            carry_over = C.plus(C.element_times(C.element_times(-1, bits), mean), carry_over)
        return approx, multiIn

    def gradFunc(self, arg):
        gradIn = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        gradRoot = C.input(shape=arg.shape, dynamic_axes=arg.dynamic_axes)
        signGrad = C.abs(gradIn)
        bit_map = C.constant(self.bit_map)
        signGrad = C.less_equal(signGrad, bit_map)
        outGrad = signGrad
        outGrad = C.element_times(gradRoot, outGrad)
        return outGrad, gradIn, gradRoot

    def forward(self, argument, device, outputs_to_retain):
        _, output_values = self.action.forward({self.actionArg: argument}, self.action.outputs, device=device, as_numpy=False)
        return argument.deep_clone(), output_values[self.action.output]

    def backward(self, state, root_gradients):
        val = state
        _, output_values = self.grad.forward({self.gradArg: val, self.gradRoot: root_gradients}, self.grad.outputs, device=state.device(), as_numpy=False)
        return output_values[self.grad.output]

    def infer_outputs(self):
        output_vars = [C.output_variable(self.inputs[0].shape, self.inputs[0].dtype, self.inputs[0].dynamic_axes)]
        self.action, self.actionArg = self.multiFunc(self.inputs[0])
        self.grad, self.gradArg, self.gradRoot = self.gradFunc(self.inputs[0])
        return output_vars

    def serialize(self):
        return {'bit_map': np.asarray(self.bit_map, dtype=np.float32)}

    @staticmethod
    def deserialize(inputs, name, state):
        return Multibit(inputs[0], np.asarray(state['bit_map'], dtype=np.int32), name)

    def clone(self, cloned_inputs):
        cloned_inputs[0].__class__ = C.Variable
        return Multibit(cloned_inputs[0], self.bit_map, self.name)


def CustomSign(input):
    return C.user_function(SignWithEstimation(input))


def CustomPySign(input):
    return C.user_function(pySign(input))


def CustomMultibit(input, bit_map, mean_bits=None):
    if (mean_bits):
        bit_map = np.asarray(np.maximum(np.round(np.random.normal(mean_bits, 1, input.shape)), 1), dtype=np.int32)
        print("Mean Bits: ",np.mean(bit_map))
    else:
        if (type(bit_map) == int):
            length = C.reshape(input, (-1))
            bit_map = [bit_map]*length.shape[0]
            bit_map = np.asarray(bit_map)
            bit_map = bit_map.reshape(input.shape)
        else:
            bit_map = np.asarray(bit_map)
        assert (bit_map.shape == input.shape)
    return C.user_function(Multibit(input, bit_map))


def CustomMultibitKernel(input, bit_map, mean_bits=None):
    if (mean_bits):
        bit_map = np.asarray(np.maximum(np.round(np.random.normal(mean_bits, 1, input.shape)), 1), dtype=np.int32)
        print("Mean Bits: ",np.mean(bit_map))
    else:
        if (type(bit_map) == int):
            length = C.reshape(input, (-1))
            bit_map = [bit_map]*length.shape[0]
            bit_map = np.asarray(bit_map)
            bit_map = bit_map.reshape(input.shape)
        else:
            bit_map = np.asarray(bit_map)
        assert (bit_map.shape == input.shape)
    return C.user_function(MultibitKernel(input, bit_map))

# ---- figures

FUNCTIONS = dict(CustomSign=CustomSign, CustomPySign=CustomPySign, CustomMultibit=CustomMultibit, CustomMultibitKernel=CustomMultibitKernel)
X = (np.random.RandomState(3).randn(2, 4, 5, 5) * 1.5).astype(np.float32)
W = (np.random.RandomState(4).randn(3, 4, 3, 3) * 1.5).astype(np.float32)
R = np.random.RandomState(5).randn(2, 3, 5, 5).astype(np.float32)
X[0, 0, 0, 0] = W[0, 0, 0, 0] = 0
MAP = np.random.RandomState(6).randint(1, 5, W.shape)


def activations(function, *bits):
    """The function of a batch, and its gradient for the numbers 1, 2, ... coming back."""
    x = C.input_variable(X.shape[1:], needs_gradient=True)
    y = function(x, *bits) * C.constant(np.arange(1, 101, dtype=np.float32).reshape(X.shape[1:]))
    gradient, value = y.grad({x: X}, wrt=[x], outputs=[y.output])
    return dict(value=value, gradient=gradient)


def weights(function, *bits):
    """A convolution with the function of the filters, and the gradients for fixed numbers coming back."""
    x, w = C.input_variable(X.shape[1:], needs_gradient=True), C.parameter(init=W)
    y = C.convolution(function(w, *bits), x, auto_padding=[False, True, True])
    back = C.input_variable(R.shape[1:])
    gradients, value = (y * back).grad({x: X, back: R}, wrt=[x, w], outputs=[y.output])
    return dict(value=value, dx=gradients[x], dw=gradients[w])


def network(functions, w_bits=(), x_bits=(), kernels=None):
    """Losses of a network of the program's kind: binary weights and activations, trained."""
    of_weights, of_activations = functions['CustomMultibitKernel' if kernels else 'CustomMultibit' if w_bits else 'CustomSign'], functions['CustomMultibit' if x_bits else 'CustomSign']
    x, y = C.input_variable(X.shape[1:]), C.input_variable(3)
    w, v = C.parameter(init=W * 0.5), C.parameter(init=W[:, :3, :1, 0] * 0.5)
    h = C.convolution(of_weights(w, *w_bits), of_activations(x, *x_bits), auto_padding=[False, True, True])
    z = C.reshape(C.times(C.reshape(C.reduce_mean(h, axis=(1, 2)), 3), C.reshape(v, (3, 3))), 3)
    loss = C.squared_error(z, y)
    trainer = C.Trainer(z, (loss, None), [C.sgd(z.parameters, C.learning_parameter_schedule(0.01, 1))])
    losses = []
    for _ in range(20):
        trainer.train_minibatch({x: X, y: [[1, 0, 2], [0, 1, -1]]})
        losses.append(trainer.previous_minibatch_loss_average)
    return losses


def figures(functions=FUNCTIONS):
    f = dict(sign=activations(functions['CustomSign']), py_sign=activations(functions['CustomPySign']), sign_of_weights=weights(functions['CustomSign']),
             map_of_weights=weights(functions['CustomMultibit'], MAP), map_of_kernels=weights(functions['CustomMultibitKernel'], MAP), network=network(functions),
             network_of_bits=network(functions, (2,), (3,)), network_of_kernels=network(functions, (2,), (2,), True))
    for bits in (1, 2, 3, 4):
        f['multibit_%d' % bits] = activations(functions['CustomMultibit'], bits)
        f['kernel_%d' % bits] = weights(functions['CustomMultibitKernel'], bits)
    return plain(f)


def plain(v):
    if isinstance(v, dict):
        return {key: plain(value) for key, value in v.items()}
    return np.asarray(v, np.float64).round(6).tolist()


if __name__ == '__main__':
    sys.stdout.write(json.dumps(figures(), sort_keys=True) + '\n')
