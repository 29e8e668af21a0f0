"""ONNX's own tests of its operators, from the package `onnx`: each is a model with inputs and results.

python tests/onnx_nodes.py            what passes, and why the others do not
python tests/onnx_nodes.py --write    the list of the others, tests/golden/onnx_nodes.txt
"""

import collections
import pathlib
import sys
import warnings

import numpy as np

# Operators whose numbers are each runtime's own.
DRAWS = {'Bernoulli', 'RandomUniform', 'RandomUniformLike', 'RandomNormal', 'RandomNormalLike', 'Multinomial'}
LIST = pathlib.Path(__file__).parent / 'golden' / 'onnx_nodes.txt'


def cases():
    """All of them by name."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        from onnx.backend.test.loader import load_model_tests

        return {case.name: case for case in load_model_tests(kind='node')}


def data_of(case):
    """Inputs and results of a case, a pair for each set of data."""
    import onnx
    from onnx import numpy_helper

    def array(value):
        return numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value

    if case.data_sets is not None:
        for sides in case.data_sets:
            yield tuple([array(value) for value in side] for side in sides)
        return
    for folder in sorted(pathlib.Path(case.model_dir).glob('test_data_set_*')):
        sides = []
        for side in ('input', 'output'):
            values = []
            for i in range(len(list(folder.glob(f'{side}_*.pb')))):
                tensor = onnx.TensorProto()
                tensor.ParseFromString((folder / f'{side}_{i}.pb').read_bytes())
                values.append(numpy_helper.to_array(tensor))
            sides.append(values)
        yield tuple(sides)


def model_of(case):
    import onnx

    return case.model if case.model is not None else onnx.load(pathlib.Path(case.model_dir) / 'model.onnx')


def loaded(model, values):
    """The names of the inputs that are left, and the network. `values`: of inputs; all but the first are made
    constants of the model, for operators of which shapes or weights have to be known when a file is read."""
    import onnx
    from onnx import numpy_helper

    import cantik as C

    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for value, name in list(zip(values, [i.name for i in model.graph.input if i.name]))[1:]:
        copy.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
    names = [i.name for i in copy.graph.input]
    return names, C.load_model(copy.SerializeToString())


class NotForUs(Exception):
    """A model with values that are no tensors of numbers."""


def results(network, names, values):
    """What the network makes of inputs, which stand in the order of the file, in ONNX's shapes."""
    given = {}
    by_name = dict(zip(names, values))
    for variable in network.arguments:
        dtype = np.float64 if variable.dtype == np.float64 else np.float32
        given[variable] = np.asarray(by_name[variable.name]).astype(dtype)
        if len(variable.dynamic_axes) == 0:
            given[variable] = given[variable].reshape(given[variable].shape)
    made = network.eval(given, as_numpy=True)
    outputs = network.outputs
    made = made if isinstance(made, dict) else {outputs[0]: made}
    arrays = [np.asarray(made[v]) for v in outputs]
    return [np.swapaxes(a, 0, 1) if len(v.dynamic_axes) == 2 else a for v, a in zip(outputs, arrays)]


def assert_drawn(made, wanted):
    """Drawn numbers are whole where those of ONNX's test are, and within the bounds of these."""
    assert np.array_equal(np.asarray(made) % 1 == 0, np.asarray(wanted) % 1 == 0)
    assert made.min() >= np.floor(wanted.min())
    assert made.max() <= np.ceil(wanted.max())


def in_float64(model):
    """The same model for real numbers of 8 bytes, whatever those of the file have."""
    import onnx
    from onnx import TensorProto, numpy_helper

    real = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16)
    wide = onnx.ModelProto()
    wide.CopyFrom(model)

    def widened(tensor):
        if tensor.data_type in real:
            array = numpy_helper.to_array(tensor).astype(np.float64)
            tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))

    def widen(graph):
        for value in [*graph.input, *graph.output, *graph.value_info]:
            if value.type.tensor_type.elem_type in real:
                value.type.tensor_type.elem_type = TensorProto.DOUBLE
        for tensor in graph.initializer:
            widened(tensor)
        for node in graph.node:
            for a in node.attribute:
                if node.op_type == 'Cast' and a.name == 'to' and a.i in real:
                    a.i = TensorProto.DOUBLE
                widened(a.t)
                widen(a.g)

    widen(wide.graph)
    return wide


def how_they_differ(case, model, inputs, wanted, made):
    """Which of two lists of results is nearer to those that ONNX's evaluator computes in float64."""
    from onnx.reference import ReferenceEvaluator

    if any(a.s == b'align_corners' for n in model.graph.node for a in n.attribute):
        return (
            'those due count parts of a pixel, '
            'and ours the pixels that are made, as in PyTorch and ONNX Runtime'
        )

    def wide(value):
        value = np.asarray(value)
        return value.astype(np.float64) if 'float' in str(value.dtype) else value

    names = [i.name for i in model.graph.input]
    exact = ReferenceEvaluator(in_float64(model)).run(None, dict(zip(names, map(wide, inputs))))

    def error(results):
        return max(np.abs(np.asarray(r).astype(np.float64) - e).max() for r, e in zip(results, exact))

    if error(made) < error(wanted):
        return 'those due are rounded after each operation, and ours are nearer to the exact ones'
    if any(
        np.any(np.abs(wide(w) - e) > (case.atol or 1e-7) + case.rtol * abs(e)) for w, e in zip(wanted, exact)
    ):
        return 'those due are themselves farther from the exact ones than the test allows'
    return 'ours are not as exact as the test asks'


def run(case):
    """Raises what is wrong."""
    model = model_of(case)
    for value in list(model.graph.input) + list(model.graph.output):
        if not value.type.HasField('tensor_type'):
            raise NotForUs('values that are no tensors')
        if value.type.tensor_type.elem_type == 8:
            raise NotForUs('texts')
    for inputs, outputs in data_of(case):
        try:
            names, network = loaded(model, ())
        except NotImplementedError:  # shapes or weights that have to be known when a file is read
            names, network = loaded(model, inputs)
        found = results(network, names, inputs)
        for wanted, made in zip(outputs, found):
            wanted = np.asarray(wanted)
            if made.size != wanted.size or (made.shape != wanted.shape):
                raise AssertionError(f'the shape {made.shape}, not {wanted.shape}')
            if any(n.op_type in DRAWS for n in model.graph.node):
                assert_drawn(made, wanted)
                continue
            if not np.allclose(
                made.astype(np.float64),
                wanted.astype(np.float64),
                rtol=case.rtol,
                atol=case.atol or 1e-7,
                equal_nan=True,
            ):
                how = how_they_differ(case, model, inputs, outputs, found)
                raise AssertionError(f'the numbers differ: {how}')


def why(error):
    """The first line, short enough for a list."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return ' '.join(text.split())[:150]


def run_all(progress=None):
    """Those that pass, and why each of the others does not."""
    passed, failed = [], {}
    for name, case in sorted(cases().items()):
        try:
            run(case)
            passed.append(name)
        except Exception as error:
            failed[name] = why(error)
        if progress:
            progress(name)
    return passed, failed


def main(arguments):
    passed, failed = run_all()
    reasons = collections.Counter(failed.values())
    if '--write' in arguments:
        LIST.write_text(''.join(f'{name}: {reason}\n' for name, reason in sorted(failed.items())))
    else:
        for reason, count in reasons.most_common():
            examples = [n for n, r in failed.items() if r == reason][:3]
            print(f'{count:5} {reason}   {" ".join(examples)}')
    print(f'{len(passed)} of {len(passed) + len(failed)} pass')


if __name__ == '__main__':
    main(sys.argv[1:])
