"""Models that use a library of operators, on the command line and behind the server."""

import numpy as np
import pytest

from building import compiled, needs_compiler, run as run_program
from shell import cantik

OPERATOR = """
#include <cantik/op.h>
using namespace cantik;

template <class T>
struct Halved : Kernel {
  int64_t size;
  explicit Halved(int64_t n) : size(n) {}
  void run(const Run& r) const override {
    for (int64_t row = r.begin(); row < r.end(); ++row)
      for (int64_t i = 0; i < size; ++i) r.result<T>(0, row)[i] = r.row<T>(0, row)[i] / 2;
  }
};

CANTIK_OP(shell_halved) {
  op.signature("shell_halved(x, name='')")
      .doc("x / 2.")
      .traits(CANTIK_ROW_WISE)
      .type([](Infer& in) { in.set(in.like(0, in.shape(0))); })
      .kernel("plain", [](const Prepare& p, const NoAttributes&) -> std::unique_ptr<Kernel> {
        return of_type<Halved>(p.dtype(), p.in(0).shape.elements());
      });
}
CANTIK_LIBRARY(shell_halved)
"""

MODEL = """
import sys, numpy as np, cantik as C
halved = C.load_operators(sys.argv[1]).shell_halved
x = C.input_variable(3, name='x')
C.alias(halved(x), name='y').save(sys.argv[2])
"""

pytestmark = needs_compiler


@pytest.fixture(scope='module')
def place(tmp_path_factory):
    """A folder with the library and a model that uses its operator."""
    folder = tmp_path_factory.mktemp('libraries')
    (folder / 'halved.cc').write_text(OPERATOR)
    compiled(folder / 'halved.so', folder / 'halved.cc')
    (folder / 'served' / 'halved' / '1').mkdir(parents=True)
    run_program(MODEL, folder / 'halved.so', folder / 'served' / 'halved' / '1' / 'model.cntk')
    (folder / 'rows.csv').write_text('a,b,c,y\n2,4,6,1\n')
    return folder


def test_commands_load_a_library(place):
    model = place / 'served' / 'halved' / '1' / 'model.cntk'
    for command in ('inspect', 'profile', 'bench --against none'):
        without = cantik(*command.split(), model)
        if command != 'inspect':  # what is not run can be looked at
            assert without.returncode == 1 and 'shell_halved' in without.stderr, without.stderr
        done = cantik(*command.split(), model, '--library', place / 'halved.so')
        assert done.returncode == 0, done.stderr
    done = cantik('convert', model, place / 'copy.model', '--library', place / 'halved.so')
    assert done.returncode == 0 and (place / 'copy.model').exists(), done.stderr


def test_a_library_that_is_none(place):
    model = place / 'served' / 'halved' / '1' / 'model.cntk'
    done = cantik('inspect', model, '--library', place / 'rows.csv')
    assert done.returncode == 1 and done.stderr.startswith('cantik inspect: '), done.stderr
    assert str(place / 'rows.csv') in done.stderr


def test_the_server_loads_a_library(place):
    from serving import PROGRAM, Server

    if not PROGRAM.exists():
        pytest.skip('the build has no server')
    with Server(place / 'served', '--library', place / 'halved.so') as server:
        outputs = server.outputs('halved', {'x': np.array([[2, 4, 6]], np.float32)})
    np.testing.assert_array_equal(outputs['y'], [[1, 2, 3]])
