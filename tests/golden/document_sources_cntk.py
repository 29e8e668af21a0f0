"""What CNTK 2.7 prints for the programs of its page about minibatch sources: python document_sources_cntk.py
PAGE.txt, with CNTK's Python.

The figures stand in tests/python/test_document_sources.py. The last program fails there in its last
minibatch, as the page itself shows.
"""

import sys

import cntk as C

page = open(sys.argv[1]).read()
C.cntk_py.set_fixed_random_seed(1)
names = {}
for first, last in (
    ('In [1]:', 'In [3]:'),
    ('In [3]:', '### Using the user minibatch'),
    ('In [38]:', 'Learning rate per sample'),
    ('In [73]:', 'In [74]:'),
    ('In [74]:', 'io pos:  58'),
):
    begin = page.index(first) + len(first)
    exec(compile(page[begin : page.index(last, begin)], first, 'exec'), names)
