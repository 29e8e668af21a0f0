"""Models of ONNX in tests: made node by node, read here, and compared with another evaluator."""

import numpy as np
import onnx
from onnx import TensorProto, helper as h, numpy_helper
from onnx.reference import ReferenceEvaluator

import cantik as C

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def info(name, shape, kind=FLOAT):
    return h.make_tensor_value_info(name, kind, shape)


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def by_onnx(model, feeds):
    return ReferenceEvaluator(model).run(None, feeds)


def runtime_session(data):
    """ONNX Runtime, with products of 8 bits that are exact on every processor.

    Without the option, sums of two overflow where there is AVX2 without VNNI. It cannot open some models so.
    """
    import onnxruntime
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, NotImplemented as NotThere

    def opened(precise):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3 + precise  # of what it cannot open it would tell
        options.add_session_config_entry('session.x64quantprecision', str(int(precise)))
        return onnxruntime.InferenceSession(data, options, providers=['CPUExecutionProvider'])

    try:
        return opened(True)
    except (Fail, NotThere):
        return opened(False)


def by_runtime(model, feeds):
    """ONNX Runtime, which knows more of control flow than ONNX's evaluator."""
    model.ir_version = 10
    return runtime_session(model.SerializeToString()).run(None, feeds)


def check(path, nodes, inputs, outputs, weights, feeds, opset=17, atol=1e-5, due_by=by_onnx):
    """The model gives here what the other evaluator gives; returns it as it was read."""
    model = h.make_model(
        h.make_graph(nodes, 'g', inputs, outputs, weights), opset_imports=[h.make_opsetid('', opset)]
    )
    onnx.checker.check_model(model)
    due = due_by(model, feeds)
    onnx.save(model, path)
    f = C.load_model(str(path))
    found = f.eval({a: feeds[a.name] for a in f.arguments})
    found = [found] if len(f.outputs) == 1 else [found[o] for o in f.outputs]
    for output, a, b in zip(f.outputs, found, due):
        if len(output.dynamic_axes) == 2:  # steps first, in ONNX
            a = np.swapaxes(a, 0, 1)
        np.testing.assert_allclose(np.reshape(a, b.shape), b, rtol=1e-5, atol=atol)
    return f


def looped(body_nodes, states, scans, weights=()):
    inputs = [info('i', [], INT64), info('c', [], BOOL), *states]
    outputs = [info('c_out', [], BOOL), *[info(s.name + '_out', None) for s in states], *scans]
    nodes = [h.make_node('Identity', ['c'], ['c_out']), *body_nodes]
    return h.make_graph(nodes, 'body', inputs, outputs, list(weights))
