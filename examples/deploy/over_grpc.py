"""The model behind a server, over gRPC: pip install tritonclient[grpc]; python over_grpc.py 127.0.0.1:8000"""

import sys

import numpy as np
from tritonclient.grpc import InferenceServerClient, InferInput

point = InferInput('x', [1, 2], 'FP32')
point.set_data_from_numpy(np.array([[3, 3]], np.float32))
answer = InferenceServerClient(sys.argv[1]).infer('points', [point])
chances = answer.as_numpy('chances') if answer else None
if chances is None:
    sys.exit('the answer has no chances')
print(f'(3, 3) is of kind {chances[0].argmax()}')
