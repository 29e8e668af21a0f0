"""model_load: a file of 100 MB, in CNTK's format and in ONNX's, until the model is there, with the file in
the system's cache; milliseconds. A copy of the file into memory stands beside it. Memory that the loading
takes at its peak, and the file with 16 MB; megabytes."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import arguments, cantik_with, cost, emit, wanted

args = arguments()
C = cantik_with(args.threads)
WIDTH, LAYERS = 2500, 4

LOADED_ALONE = """
import json, sys
import cantik as C

def high():
    with open('/proc/self/status') as file:
        return next(int(line.split()[1]) for line in file if line.startswith('VmHWM')) / 1024

with open('/proc/self/clear_refs', 'w') as file:
    file.write('5')  # the peak is counted from now on
before = high()
model = C.load_model(sys.argv[1])
print(json.dumps(high() - before))
"""

with tempfile.TemporaryDirectory() as folder:
    x = C.input_variable(WIDTH)
    model = C.layers.For(range(LAYERS), lambda: C.layers.Dense(WIDTH, activation=C.relu))(x)
    for name, form in (('v2', C.ModelFormat.CNTKv2), ('onnx', C.ModelFormat.ONNX)):
        path = Path(folder) / name
        model.save(str(path), format=form)
        if wanted(args, name):
            cost('model_load', name, 'ms', lambda: C.load_model(str(path)), 1e3, args)
        if wanted(args, name + '_memory'):
            peaks = [
                json.loads(subprocess.check_output([sys.executable, '-c', LOADED_ALONE, str(path)]))
                for _ in range(args.reps)
            ]
            emit('model_load', name + '_memory', 'MB', peaks, args.threads)
    if wanted(args, 'copy'):
        cost('model_load', 'copy', 'ms', path.read_bytes, 1e3, args)
    emit('model_load', 'file_and_16', 'MB', [path.stat().st_size / 2**20 + 16], args.threads)
