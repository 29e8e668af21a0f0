"""A network that stops at each of its functions: debug_model."""

from __future__ import annotations

import pdb
import sys
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from .. import _cantik
from .._checks import callable_object, network, refused
from ..core import user_function
from ..ops import alias, output_variable
from ..ops.functions import UserFunction
from ..variables import VariableMixin

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..ops.functions import Function

DEBUG_USAGE = '''\
    n             the next node
    n NUMBER      so many nodes
    u f, u b      on until the forward or the backward pass; within it the next node
    u NAME        on until the node of this name
    u LAMBDA      on until it is true. It is given the node's result (np is NumPy;
                  sequences one below the other) and the node:
                      u lambda arg, node: node.op_name == 'Times'
                      u lambda arg, node: len(node.shape) == 3
                      u lambda arg, node: np.var(arg) > 1
    c             on to the end, without stopping again
    p             print what has come: the result, in the backward pass its gradient
    d             Python's debugger
    q             quit
'''


class _Session:
    """What all nodes of one network share: the streams, where the run is, and what the user waits for."""

    def __init__(self, in_stream, out_stream, exit_func):
        self._in, self._out, self._exit = in_stream, out_stream, exit_func
        self._names = set()
        self._phase = None
        self._stops = lambda arg, node: True  # at which nodes it asks

    def know(self, name):
        self._names.add(name)

    def reach(self, phase, prompt, node, description, data):
        if phase != self._phase:
            self._phase = phase
            self._write(('\n' if phase == 'forward' else '') + f' {phase:<8} '.center(80, '=') + '\n')
        self._write(f'\n{description}\n')
        while self._stops(data, node):
            self._write(prompt)
            self._stops = self._ask(data, node)

    def _write(self, text):
        self._out.write(text)
        self._out.flush()

    def _ask(self, data, node):
        """Reads a command; the rule by which to stop after it."""
        line = self._in.readline()
        command, _, argument = line.strip().partition(' ')
        argument = argument.strip()

        def again(arg, node):
            return True

        if not line or (command == 'c' and not argument):  # there is nobody to be asked any more
            return lambda arg, node: False
        if not command:
            return again
        if command == 'n' and (not argument or (argument.isdecimal() and int(argument))):
            return _Count(int(argument or 1))
        if command == 'u' and argument in ('f', 'b'):
            phase = dict(f='forward', b='backward')[argument]
            skip = _Count(1)  # not where it stands now
            return lambda arg, node: skip(arg, node) and self._phase == phase
        if command == 'u' and argument.startswith('lambda'):
            return self._condition(argument)
        if command == 'u' and argument:
            if argument in self._names:
                skip = _Count(1)
                return lambda arg, node: skip(arg, node) and node.name == argument
            self._write(f'no node is named {argument!r}\n')
        elif line.strip() == 'p':
            self._print(data)
        elif line.strip() == 'd':
            pdb.set_trace()
        elif line.strip() == 'q':
            self._exit(0)
        else:
            self._write(DEBUG_USAGE)
        return again

    def _condition(self, text):
        try:
            condition = eval(text, {'np': np})  # what the user has just typed
        except SyntaxError as error:
            self._write(f'{error}\n')
            return lambda arg, node: True

        def stops(arg, node):
            try:
                return condition(np.concatenate(arg) if isinstance(arg, list) and arg else arg, node)
            except Exception as error:
                self._write(f'{type(error).__name__}: {error}\n')
                return True

        return stops

    def _print(self, data):
        what = 'Input' if self._phase == 'forward' else 'Root gradients'
        if isinstance(data, list):
            self._write(f'{what} with {len(data)} sequences\n')
        for part in data if isinstance(data, list) else [data]:
            self._write(f'{what} with shape {part.shape}: \n{part}\n')


class _Count:
    """True from the call after so many others on."""

    def __init__(self, calls):
        self._left = calls

    def __call__(self, arg, node):
        self._left -= 1
        return self._left < 0


def _text(node):
    """A node's printed form; that of a block names all that it takes, its parameters too."""
    if not isinstance(node, _cantik.Function) or not node.is_block:
        return str(node)
    head, _, result = str(node).partition('(')
    operands = ', '.join(str(VariableMixin._type.fget(operand)) for operand in node.inputs)
    return f'{head}({operands}) -> ' + result.partition(') -> ')[2]


class _DebugNode(UserFunction):
    """Hands a value on, forward and backward, and tells the session."""

    PROMPT_FORWARD = '[CNTK forward] >>> '
    PROMPT_BACKWARD = '[CNTK backward] >>> '

    def __init__(self, value, session, name=''):
        self._session = session
        super().__init__([value], name=name)

    @property
    def _node(self):
        """What makes the value; it is asked for anew, since the graph of a recurrence holds this function."""
        value = self.inputs[0]
        return value.owner if value.is_output else value

    def infer_outputs(self):
        x = self.inputs[0]
        return [output_variable(x.shape, x.dtype, x.dynamic_axes)]

    def forward(self, argument, device=None, outputs_to_retain=None):
        self._session.reach('forward', self.PROMPT_FORWARD, self._node, self._described(), argument)
        return None, argument

    def backward(self, state, root_gradients):
        self._session.reach('backward', self.PROMPT_BACKWARD, self._node, self._described(), root_gradients)
        return root_gradients

    def _described(self):
        x = self.inputs[0]
        which = (
            f' output {list(self._node.outputs).index(x)}'
            if x.is_output and len(self._node.outputs) > 1
            else ''
        )
        return f"{_text(self._node)}{which} with uid '{self._node.uid}'"

    def clone(self, cloned_inputs):
        return _DebugNode(cloned_inputs[0], self._session, self.name)

    @staticmethod
    def deserialize(inputs, name, state):
        return alias(inputs[0], name)  # nobody debugs what comes from a file


def debug_model(
    model: Function,
    in_stream: TextIO = sys.stdin,
    out_stream: TextIO = sys.stdout,
    exit_func: Callable[..., Any] = sys.exit,
) -> Function:
    """A copy of the network, with the same parameters and inputs, that stops at each of its nodes and asks
    what to do.

    In a recurrence it stops once a step. The commands are those of DEBUG_USAGE, which any other input shows;
    at the end of the input it goes on without stopping.

    Args:
        model (Function): the network
        in_stream: read by its `readline`
        out_stream: everything is written to it, by its `write` and `flush`
        exit_func: called with 0 by the command q

    Returns:
        the copy, a function

    Example:
        >>> import cantik as C, io, numpy as np
        >>> x = C.input_variable(2, name='x')
        >>> z = C.reduce_sum(x * x, name='z')
        >>> written = io.StringIO()
        >>> f = C.debugging.debug_model(z, io.StringIO('u z\\np\\nc\\n'), written)
        >>> f.eval({x: np.array([[3, 4]], np.float32)})
        array([25.], dtype=float32)
        >>> written.getvalue().splitlines()[-2:]
        ['[25.]', '[CNTK forward] >>> ']
    """
    network(model, 'model')
    callable_object(exit_func, 'exit_func')
    for what, stream, method in (('in_stream', in_stream, 'readline'), ('out_stream', out_stream, 'write')):
        if not hasattr(stream, method):
            raise refused(what, 'an open text file, or anything else with a method ' + method, stream)
    session = _Session(in_stream, out_stream, exit_func)

    def after(value):
        session.know(value.owner.name if value.is_output else value.name)
        return user_function(
            _DebugNode(value, session, 'D_' + (value.owner if value.is_output else value).uid)
        )

    return _cantik.with_each_value(model, after)
