"""The model behind a server, with Python alone: python over_http.py http://127.0.0.1:8000"""

import json
import sys
from urllib.request import Request, urlopen

request = {'inputs': [{'name': 'x', 'datatype': 'FP32', 'shape': [1, 2], 'data': [3, 3]}]}
address = sys.argv[1] + '/v2/models/points/infer'
with urlopen(Request(address, json.dumps(request).encode(), {'Content-Type': 'application/json'})) as answer:
    chances = json.load(answer)['outputs'][0]['data']
print(f'(3, 3) is of kind {chances.index(max(chances))}')
