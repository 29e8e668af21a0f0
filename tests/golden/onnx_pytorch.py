"""Writes onnx_pytorch/: models as people make them, exported by both exporters of PyTorch, and models.json:
which inputs they have, and the losses of a few steps of training in PyTorch.

python onnx_pytorch.py [NAME ...]        # in a place with torch, onnx, onnxscript and onnxruntime
"""

import json
import math
import pathlib
import sys
import warnings

import onnx
import onnx_pytorch_models as models
import onnxruntime
import torch
from onnx_feeds import RATE, feeds_of

FOLDER = pathlib.Path(__file__).with_name('onnx_pytorch')
STEPS = 3


def loss_of(results):
    """The same for PyTorch's tensors and arrays: each number is compared with a cosine of its place."""
    total = 0
    for y in results:
        if y.is_floating_point():
            due = torch.cos(torch.arange(y.numel(), dtype=y.dtype)).reshape(y.shape)
            total = total + ((y - due) ** 2).mean()
    return total


def results_of(model, feeds):
    y = model(*[torch.from_numpy(v) for v in feeds.values()])
    return list(y) if isinstance(y, (tuple, list)) else [y]


def losses_of(model, feeds):
    losses = []
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = loss_of(results_of(model, feeds))
        losses.append(float(loss))
        loss.backward()
        optimizer.step()
    return losses


def stripped(model):
    """Without the exporter's notes on where in the program a node was made."""

    def strip(graph):
        graph.doc_string = ''
        del graph.value_info[:]
        del graph.metadata_props[:]
        for n in graph.node:
            n.doc_string = ''
            del n.metadata_props[:]
            for a in n.attribute:
                if a.HasField('g'):
                    strip(a.g)
        for v in [*graph.input, *graph.output, *graph.initializer]:
            v.doc_string = ''
            del v.metadata_props[:]

    strip(model.graph)
    for f in model.functions:
        f.doc_string = ''
        del f.value_info[:]
        del f.metadata_props[:]
        for n in f.node:
            n.doc_string = ''
            del n.metadata_props[:]
    del model.metadata_props[:]
    return model


def export(module, entry, exporter, path):
    feeds = feeds_of(entry.inputs, entry.sizes[0])
    arguments = tuple(torch.from_numpy(v) for v in feeds.values())
    names = {'input_names': list(feeds), 'output_names': entry.outputs}
    axes = {
        name: {i: s for i, s in enumerate(shape) if isinstance(s, str)}
        for name, (_, *shape) in entry.inputs.items()
    }
    if exporter == 'script':
        outputs = {name: {0: f'{name}_0'} for name in entry.outputs} if entry.free_outputs else {}
        torch.onnx.export(
            module,
            arguments,
            path,
            dynamo=False,
            dynamic_axes={**axes, **outputs},
            opset_version=entry.opset,
            **names,
        )
    else:
        sizes = {}
        for shape in axes.values():
            for s in shape.values():
                sizes.setdefault(s, torch.export.Dim(s, min=1 if s in entry.small else 2, max=4096))
        shapes = tuple({i: sizes[s] for i, s in shape.items()} or None for shape in axes.values())
        torch.onnx.export(
            module,
            arguments,
            path,
            dynamo=True,
            dynamic_shapes=shapes,
            external_data=False,
            verbose=False,
            **names,
        )
    model = stripped(onnx.load(path))
    onnx.checker.check_model(model)
    onnx.save(model, path)


def made(entry):
    """With no two weights alike, which exporters would make one."""
    module = entry.make().eval()
    with torch.no_grad():
        for p in module.parameters():
            p.add_(torch.randn_like(p) * 0.05)
    return module


def constants_of(path, module):
    """Numbers of the file that are no part of the module's weights, as they are or turned."""
    weights = [p.detach().numpy() for p in module.parameters()]
    known = [w.tobytes() for w in weights] + [w.T.tobytes() for w in weights]
    arrays = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    return [
        name
        for name, a in arrays.items()
        if a.dtype == 'float32' and not any(a.tobytes() in w for w in known)
    ]


def sizes_of(path, entry):
    """Those that ONNX Runtime takes: exporters write some sizes down as numbers."""
    session = onnxruntime.InferenceSession(str(path))
    taken = []
    for sizes in entry.sizes:
        feeds = feeds_of(entry.inputs, sizes)
        try:
            session.run(None, {i.name: feeds[i.name] for i in session.get_inputs()})
            taken.append(sizes)
        except Exception:
            print(f'{path.stem}: not with {sizes}')
    return taken


def main(wanted):
    torch.backends.mha.set_fastpath_enabled(False)  # it has no form in ONNX
    FOLDER.mkdir(exist_ok=True)
    said = {}
    index = FOLDER / 'models.json'
    if index.exists():
        said = json.loads(index.read_text())
    for entry in models.MODELS:
        if wanted and entry.name not in wanted:
            continue
        for exporter in entry.exporters:
            torch.manual_seed(1)
            module = made(entry)
            name = f'{entry.name}_{exporter}'
            path = FOLDER / f'{name}.onnx'
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    with torch.no_grad():
                        export(module, entry, exporter, str(path))
            except Exception as error:
                print(f'{name}: not exported: {type(error).__name__}: {str(error).splitlines()[-1][:200]}')
                path.unlink(missing_ok=True)
                said.pop(name, None)
                continue
            print(f'{name}: {path.stat().st_size} bytes')
            said[name] = {'inputs': entry.inputs, 'sizes': sizes_of(path, entry)}
            if entry.learns:
                said[name]['constants'] = constants_of(path, module)
                said[name]['losses'] = losses_of(module, feeds_of(entry.inputs, entry.sizes[0]))
                assert all(math.isfinite(loss) for loss in said[name]['losses'])
    lines = [f'{json.dumps(name)}: {json.dumps(said[name])}' for name in sorted(said)]
    index.write_text('{\n' + ',\n'.join(lines) + '\n}\n')


if __name__ == '__main__':
    main(sys.argv[1:])
