"""Writes models of onnx_pytorch/ with whole numbers, as onnxruntime.quantization makes them, into its folder.

python onnx_quantized.py        # after onnx_pytorch.py, in a place with onnx, onnxruntime and sympy
"""

import json
import pathlib
import tempfile

import onnx
from onnx_feeds import feeds_of
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    quant_pre_process,
    quantize_dynamic,
    quantize_static,
)

FOLDER = pathlib.Path(__file__).with_name('onnx_pytorch')

# name: the model it is made of, and how
STATIC = {
    'classifier_qdq': ('classifier_dynamo', QuantFormat.QDQ, {'per_channel': True}),
    'classifier_qoperator': ('classifier_dynamo', QuantFormat.QOperator, {}),
    # Masks of attention: infinite scales, and scales that are the greatest of float32.
    'encoder_qdq': ('encoder_dynamo', QuantFormat.QDQ, {}),
    'bert_qoperator': ('bert_dynamo', QuantFormat.QOperator, {}),
}
DYNAMIC = {
    'gpt_dynamic': 'gpt_dynamo',
    'classifier_dynamic': 'classifier_dynamo',
}


class Few(CalibrationDataReader):
    def __init__(self, said):
        sizes = said['sizes'][0]
        self.feeds = iter([feeds_of(said['inputs'], sizes, seed) for seed in range(3)])

    def get_next(self):
        return next(self.feeds, None)


def main():
    index = FOLDER / 'models.json'
    said = json.loads(index.read_text())
    with tempfile.TemporaryDirectory() as place:
        for name, (source, form, options) in STATIC.items():
            ready = pathlib.Path(place) / 'ready.onnx'
            quant_pre_process(str(FOLDER / f'{source}.onnx'), str(ready), skip_symbolic_shape=True)
            path = FOLDER / f'{name}.onnx'
            quantize_static(str(ready), str(path), Few(said[source]), quant_format=form, **options)
            said[name] = {k: said[source][k] for k in ('inputs', 'sizes')}
        for name, source in DYNAMIC.items():
            quantize_dynamic(str(FOLDER / f'{source}.onnx'), str(FOLDER / f'{name}.onnx'))
            said[name] = {k: said[source][k] for k in ('inputs', 'sizes')}
    # With 5 steps a number lies in the middle between two whole ones, as far as float32 goes.
    said['gpt_dynamic']['sizes'] = [
        {**sizes, 'steps': sizes['steps'] + 1} for sizes in said['gpt_dynamic']['sizes']
    ]
    for name in [*STATIC, *DYNAMIC]:
        path = FOLDER / f'{name}.onnx'
        model = onnx.load(path)
        del model.graph.value_info[:]
        onnx.save(model, path)
        print(f'{name}: {path.stat().st_size} bytes')
    lines = [f'{json.dumps(name)}: {json.dumps(said[name])}' for name in sorted(said)]
    index.write_text('{\n' + ',\n'.join(lines) + '\n}\n')


if __name__ == '__main__':
    main()
