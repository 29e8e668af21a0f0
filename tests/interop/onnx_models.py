"""Models that others made, against ONNX Runtime: read, run on random inputs of several sizes, written again
and run by ONNX Runtime.

    pip download --no-deps silero-vad magika      # wheels with models in them, for example
    python tests/interop/onnx_models.py *.whl *.onnx
"""

import sys
import time
import zipfile

import numpy as np
import onnxruntime

import cantik as C

SIZES = (1, 3, 2)  # of sizes that are free, in turn
PIXELS = (64, 96, 128)  # of those behind the first two, which are often divided by two again and again


def models(paths):
    for path in paths:
        if path.endswith('.whl'):
            with zipfile.ZipFile(path) as wheel:
                for name in wheel.namelist():
                    if name.endswith('.onnx'):
                        yield name, wheel.read(name)
        else:
            with open(path, 'rb') as file:
                yield path, file.read()


def session_of(data):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(data, options, providers=['CPUExecutionProvider'])


def inputs_of(session, turn):
    random = np.random.RandomState(turn)
    names = {}
    values = {}
    for i in session.get_inputs():
        shape = []
        for k, d in enumerate(i.shape):
            if not isinstance(d, int) or d <= 0:
                size = SIZES[turn] if k < 2 else PIXELS[turn]
                d = names.setdefault(d, size) if isinstance(d, str) and d != '?' else size
            shape.append(d)
        value = random.uniform(-1, 1, shape)
        whole = {'tensor(int64)': np.int64, 'tensor(int32)': np.int32}.get(i.type)
        values[i.name] = random.randint(1, 200, shape).astype(whole) if whole else value.astype(np.float32)
    return values


def ours(network, values):
    made = network.eval({v: np.asarray(values[v.name], np.float32) for v in network.arguments})
    return [np.asarray(made[v]) for v in network.outputs] if isinstance(made, dict) else [np.asarray(made)]


def difference(x, y):
    if x.shape != y.shape:
        return f'shape {x.shape} instead of {y.shape}'
    if not x.size:
        return '0'
    scale = max(1.0, float(np.abs(y).max()))
    return f'{float(np.abs(x.astype(np.float64) - y).max()) / scale:.1e}'


def first_line(error):
    return ' | '.join(line.strip() for line in str(error).splitlines() if line.strip())[:260]


def main(paths):
    for name, data in models(paths):
        start = time.time()
        try:
            session = session_of(data)
            network = C.load_model(data, format=C.ModelFormat.ONNX)
        except Exception as error:
            print(f'{name}: not read: {first_line(error)}')
            continue
        print(f'{name}: read in {time.time() - start:.1f} s', end='')
        for turn in range(len(SIZES)):
            try:
                values = inputs_of(session, turn)
                wanted = session.run(None, values)
                made = ours(network, values)
                print('; differences', ', '.join(difference(x, y) for x, y in zip(made, wanted)), end='')
            except Exception as error:
                print(f'; not run: {first_line(error)}', end='')
                break
        try:
            import io

            to = io.BytesIO()
            network.save(to, format=C.ModelFormat.ONNX)
            again = session_of(to.getvalue())
            names = {v.name: i.name for v, i in zip(network.arguments, again.get_inputs())}
            values = inputs_of(session, 0)
            theirs = again.run(
                None, {names[n]: np.asarray(v, np.float32) for n, v in values.items() if n in names}
            )
            wanted = session.run(None, values)
            print('; written again', ', '.join(difference(x, y) for x, y in zip(theirs, wanted)))
        except Exception as error:
            print(f'; not written again: {first_line(error)}')


if __name__ == '__main__':
    main(sys.argv[1:])
