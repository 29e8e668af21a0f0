"""Libraries that are broken, cut off, too new or not libraries at all: a clear error, and nothing of them is
registered."""

import os

import numpy as np
import pytest

import cantik as C
from building import SOURCES, compiled, needs_compiler
from cantik.ops.libraries import call

pytestmark = needs_compiler


def refused(path, *words, error=(ValueError, RuntimeError, TypeError, KeyError)):
    before = [op['name'] for op in C._cantik.operators()]
    with pytest.raises(error) as caught:
        C.load_operators(path)
    assert [op['name'] for op in C._cantik.operators()] == before
    for word in words:
        assert word in str(caught.value), str(caught.value)


@pytest.fixture(scope='module')
def good(tmp_path_factory):
    return compiled(
        tmp_path_factory.mktemp('good') / 'good.so',
        SOURCES / 'wrong' / 'wrong.c',
        flags=['-DWRONG=op.outputs = -1'],
    )


def test_what_is_no_library(tmp_path):
    refused(tmp_path / 'missing.so', 'missing.so cannot be opened', 'No such file')
    refused(tmp_path, 'is not an operator library', 'it is not a regular file')
    (tmp_path / 'empty.so').write_bytes(b'')
    refused(tmp_path / 'empty.so', 'it is not a shared library')
    (tmp_path / 'text.so').write_text('import numpy as np\n' * 100)
    refused(tmp_path / 'text.so', 'it is not a shared library')
    refused(
        C._cantik.__file__, 'does not state the version of its interface'
    )  # a shared library of another kind: none of its code runs
    (tmp_path / 'object.c').write_text('int x;\n')
    refused(
        compiled(tmp_path / 'plain.so', tmp_path / 'object.c'),
        'does not state the version of its interface',
        'CANTIK_LIBRARY',
    )


def test_cut_off_anywhere(good, tmp_path):
    whole = open(good, 'rb').read()
    for size in [*range(0, 200, 7), *range(200, len(whole), len(whole) // 40), len(whole) - 1]:
        (tmp_path / 'part.so').write_bytes(whole[:size])
        refused(tmp_path / 'part.so', 'is not an operator library', error=ValueError)


def test_random_headers(good, tmp_path):
    whole, random = bytearray(open(good, 'rb').read()), np.random.RandomState(0)
    for _ in range(50):  # in the file's own header, where sizes and places stand
        broken = bytearray(whole)
        for at in random.randint(4, 64, 8):
            broken[at] = random.randint(256)
        (tmp_path / 'broken.so').write_bytes(broken)
        refused(tmp_path / 'broken.so')


def test_another_machine(good, tmp_path):
    other = bytearray(open(good, 'rb').read())
    other[18:20] = (0xF3).to_bytes(2, 'little')  # RISC-V
    (tmp_path / 'other.so').write_bytes(other)
    refused(tmp_path / 'other.so', 'it was built for another kind of processor')


@pytest.mark.parametrize('version', ['2, 0', '1, 3', '1, 90', '0, 3'])
def test_another_version(version, tmp_path):
    path = compiled(
        tmp_path / 'newer.so',
        SOURCES / 'wrong' / 'wrong.c',
        flags=['-DMARK=CANTIK_ABI_TEXT(' + version + ')', '-DWRONG=__builtin_trap()'],
    )
    refused(
        path,
        'was built for version ' + version.replace(', ', '.') + ' of the interface',
        'this Cantik has 1.2',
        'cantik config --cflags',
        error=RuntimeError,
    )


@pytest.mark.parametrize(
    'wrong, said',
    [
        ('op.name = 0', 'it has no name'),
        ('op.name = "not a name"', "'not a name' is not a name"),
        ('op.signature = 0', 'it has no signature'),
        ('op.signature = "wrong"', 'has no list of parameters'),
        ('op.signature = "other(x)"', "is another operator's"),
        ('op.signature = "wrong(x y)"', "'x y' in the signature is not a name"),
        ('op.signature = "wrong(x, y, x)"', 'has the parameter x twice'),
        ('op.signature = "wrong(x, lambda)"', 'lambda is a word of Python'),
        ('op.name = "mine.None", op.signature = "mine.None(x)"', 'None is a word of Python'),
        (
            'field.value.as.real = 1, op.signature = "wrong(x, rate=0.5)", '
            'op.fields = &field, op.field_count = 1',
            'shows the default 0.5 for rate in its signature, and its attributes begin with 1',
        ),
        (
            'field.value = (cantik_attribute){CANTIK_BOOL, 0, {1}}, op.signature = "wrong(x, rate=False)", '
            'op.fields = &field, op.field_count = 1',
            'shows the default False for rate',
        ),
        (
            'field.value = (cantik_attribute){CANTIK_INT, 0, {7}}, op.signature = "wrong(x, rate=-7)", '
            'op.fields = &field, op.field_count = 1',
            'shows the default -7 for rate',
        ),
        (
            'field.value = (cantik_attribute){CANTIK_TEXT, 0, {.text = "max"}}, '
            'op.signature = "wrong(x, rate=\'min\')", op.fields = &field, op.field_count = 1',
            "shows the default 'min' for rate",
        ),
        (
            'static cantik_expression none[1]; op.expression = (cantik_expression){1, 0, &code}, '
            'op.derivatives = none',
            'its derivative for operand 0 is empty',
        ),
        ('op.outputs = -1', 'it has -1 outputs'),
        ('op.outputs = 1 << 30', 'outputs'),
        ('op.size = 3', 'a struct of 3 bytes'),
        ('op.size = 1 << 20', 'a struct of 1048576 bytes'),
        ('op.traits = 1ull << 40', 'traits that this Cantik does not know'),
        ('op.inputs_min = 3, op.inputs_max = 2', 'it takes 3 to 2 inputs'),
        ('op.field_count = 2', 'it lists 2 attributes'),
        ('op.field_count = -7', 'it lists -7 attributes'),
        ('field.name = "a b", op.fields = &field, op.field_count = 1', "'a b' is not a name of an attribute"),
        ('field.role = 99, op.fields = &field, op.field_count = 1', 'unknown role 99'),
        ('field.value.kind = 12, op.fields = &field, op.field_count = 1', 'unknown kind 12'),
        ('op.kernel_count = -1', 'it lists -1 kernels'),
        ('kernel.prepare = 0', 'its kernel never cannot be made'),
        ('kernel.name = 0', "it has no kernel's name"),
        ('op.kernel_count = 0, op.infer = 0', 'has no body'),
        ('code.op = 77, op.expression = (cantik_expression){1, 0, &code}', 'the unknown opcode 77'),
        ('code.arg[0] = 5, op.expression = (cantik_expression){1, 0, &code}', 'its expression reads input 5'),
        (
            'code.op = CANTIK_X_ATTRIBUTE, op.expression = (cantik_expression){1, 0, &code}',
            'its expression reads attribute 0',
        ),
        ('code.op = CANTIK_X_NEG, op.expression = (cantik_expression){1, 0, &code}', 'reads a later one'),
        ('op.expression = (cantik_expression){1, 3, &code}', 'the expression has no result'),
        ('op.sample_count = 1', 'it lists 1 samples'),
        ('op.name = "well", op.signature = "well(x)"', 'the operator well is defined twice'),
        ('op.name = "relu", op.signature = "relu(x)"', 'the operator relu is registered already'),
        (
            'host->annotate(host->self, "nobody", "key", "value"); op.name = "alone", op.signature = '
            '"alone(x)"',
            'no operator nobody to annotate with key',
        ),
        ('host->attach(host->self, "relu", "key", 0, host)', 'lacks its operator, its key or its type'),
        ('host->fail(host->self, CANTIK_RUNTIME, "no licence"); return 2', 'no licence'),
        ('return 2', 'refused to be loaded, status 2'),
    ],
)
def test_malformed(wrong, said, tmp_path):
    refused(
        compiled(tmp_path / 'wrong.so', SOURCES / 'wrong' / 'wrong.c', flags=['-DWRONG=' + wrong]),
        said,
        'wrong.so',
    )


@pytest.mark.parametrize(
    'default, value',
    [
        ('0.1', '{CANTIK_REAL, 0, {.real = 0.1f}}'),
        ('1e-05', '{CANTIK_REAL, 0, {.real = 1e-5}}'),
        ('-7', '{CANTIK_INT, 0, {-7}}'),
        ('2', '{CANTIK_REAL, 0, {.real = 2}}'),
        ('True', '{CANTIK_BOOL, 0, {1}}'),
        ("'max'", '{CANTIK_TEXT, 0, {.text = "max"}}'),
        ('automatic', '{CANTIK_INT, 0, {5}}'),
        ('None', '{CANTIK_NONE, 0, {0}}'),
    ],
)
def test_defaults_that_agree(default, value, tmp_path):
    name = 'agrees_' + ''.join(letter for letter in default if letter.isalnum())
    wrong = (
        f'op.name = "{name}", op.signature = "{name}(x, rate={default})", '
        f'field.value = (cantik_attribute){value}, op.fields = &field, op.field_count = 1'
    )
    flags = ['-DWRONG=' + wrong, '-DWELL="well' + name + '"']
    assert name in C.load_operators(
        compiled(tmp_path / 'well.so', SOURCES / 'wrong' / 'wrong.c', flags=flags)
    )


def test_names_that_lists_have(tmp_path):
    flags = ['-DWRONG=op.name = "count", op.signature = "count(x)"', '-DWELL="path"']
    path = compiled(tmp_path / 'names.so', SOURCES / 'wrong' / 'wrong.c', flags=flags)
    library = C.load_operators(path)
    assert (
        library == ['path', 'count'] and library.count('path') == 1 and os.path.samefile(library.path, path)
    )
    assert repr(library) == '<operators of names.so: path, count>'
    assert (
        library['count'].__name__ == 'count' and library['path'].__name__ == 'path' and library[0] == 'path'
    )
    with pytest.raises(KeyError, match='no operator nothing; it has path, count'):
        library['nothing']


def test_an_exception(tmp_path):
    refused(
        compiled(tmp_path / 'throws.so', SOURCES / 'wrong' / 'throws.cc'),
        'failed while it was loaded: no licence on this machine',
        error=RuntimeError,
    )


def test_a_kernel_that_declines_says_so(tmp_path):
    flags = ['-DWRONG=op.name = "unwilling", op.signature = "unwilling(x)"']
    library = C.load_operators(
        compiled(tmp_path / 'unwilling.so', SOURCES / 'wrong' / 'wrong.c', flags=flags)
    )
    assert library == ['well', 'unwilling'] and os.path.samefile(library.path, tmp_path / 'unwilling.so')
    with pytest.raises(NotImplementedError, match='never: it never runs'):
        library.unwilling([1, 2]).eval()
    copy = tmp_path / 'copy.so'
    copy.write_bytes((tmp_path / 'unwilling.so').read_bytes())
    refused(
        copy,
        'the operator well is registered already, by ' + str((tmp_path / 'unwilling.so').resolve()),
    )


@pytest.fixture(scope='module', params=['wrong_', 'old_wrong_'])
def rules(request, tmp_path_factory):
    """Operators whose code goes wrong, built against today's headers, and against those of the first release,
    whose code checks less."""
    path = tmp_path_factory.mktemp('rules') / (request.param + 'rules.so')
    old = request.param.startswith('old')
    flags = [
        f'-DPREFIX="{request.param}"',
        *(
            ['-I' + str(SOURCES.parent / 'release_1' / 'include'), '-Wno-unused-parameter']
            if old
            else ['-DWITH_NOTHING']
        ),
    ]
    library = C.load_operators(compiled(path, SOURCES / 'wrong' / 'rules.cc', flags=flags))
    return lambda name: getattr(library, request.param + name), path


NUMBERS = np.array([[1, 2, 3]], np.float32)


def in_use(how, op):
    """Makes the function, runs it or takes its gradient."""
    x = C.input_variable(3, needs_gradient=True)
    f = op(x)
    if how == 'gradient':
        f.grad({x: NUMBERS})
    elif how == 'run':
        f.eval({x: NUMBERS})


@pytest.mark.parametrize(
    'how, name, said',
    [
        ('made', 'refines', 'refine'),
        ('made', 'reads_type', ''),
        ('made', 'sets_output', 'set output 2, but the operator has 1 outputs'),
        ('gradient', 'reads_operand', ''),
        ('gradient', 'reads_result', ''),
        ('gradient', 'sets_gradient', ''),
        ('run', 'sets_result', ''),
        ('run', 'many_results', 'for 3 results, but plus has 1'),
        ('made', 'body', ''),
        ('run', 'few_operands', 'plus takes 2 inputs, and was given 1'),
        ('run', 'many_operands', 'sin takes 1 inputs, and was given 2'),
        ('gradient', 'few_in_gradient', 'plus takes 2 inputs, and was given 1'),
        ('run', 'itself', 'leads back to itself'),
        ('made', 'by_sequence', 'works sequence by sequence, and its operand has no sequence axis'),
        ('made', 'names_axis', 'names an axis after input 9, but the call has 1 inputs'),
        ('made', 'other_letters', '\N{REPLACEMENT CHARACTER}rger'),
        ('run', 'well_failed', 'it is well'),
        ('run', 'nothing_kept', 'nothing is kept for this operator'),
        ('made', 'open_body', 'did not set result 0'),
        ('made', 'negative', 'with a negative size'),
        ('made', 'number_type', 'the unknown element type 77'),
        ('gradient', 'other_shape', 'returned float32[2] for operand 0, which is float32[3]'),
        ('gradient', 'number_gradient', 'for operand 0, which is float32[3]'),
        ('made', 'throws_type', 'no std::exception'),
        ('made', 'throws_body', 'no std::exception'),
        ('run', 'throws_lower', 'no std::exception'),
        ('gradient', 'throws_gradient', 'no std::exception'),
        ('run', 'throws_factory', 'no std::exception'),
        ('run', 'throws_kernel', 'no std::exception'),
        ('run', 'no_memory', ''),
        ('made', 'error', 'it makes no sense'),
        ('run', 'no_kernel', 'returned no kernel'),
        ('run', 'scratch', 'negative amount of scratch memory'),
    ],
)
def test_code_that_goes_wrong(how, name, said, rules):
    op, path = rules
    if name in ('names_axis', 'well_failed', 'nothing_kept') and path.name.startswith('old'):
        pytest.skip("the first release's headers have nothing of the kind, or check it inside the library")
    if name == 'no_kernel' and path.name.startswith('old'):
        pytest.skip(
            "the first release's headers touch the missing kernel inside the library, where nobody can help"
        )
    with pytest.raises((ValueError, RuntimeError, TypeError)) as caught:
        in_use(how, op(name))
    text = str(caught.value)
    assert said in text, text
    assert name in text and str(path) in text and 'test_wrong_libraries.py' in text, (
        text
    )  # operator, library and where the node was made


@pytest.mark.parametrize('name', ['shape_in_kernel', 'shape_in_factory'])
def test_kernels_keep_the_kind_and_the_remedy_of_a_failure(name, rules):
    op, path = rules
    with pytest.raises(C.ShapeError, match='the two sides do not fit') as caught:
        in_use('run', op(name))
    if not path.name.startswith('old'):  # whose code tells no remedy
        assert str(caught.value).endswith('\n  remedy   make them equal')


@pytest.mark.parametrize('name', ['silent_rule', 'silent_factory', 'silent_kernel'])
def test_failures_without_a_text(name, rules):
    op, _ = rules
    with pytest.raises(RuntimeError, match='no reason was given'):
        in_use('made' if name == 'silent_rule' else 'run', op(name))


def test_the_gradient_of_a_result_that_nobody_reads(rules):
    op, path = rules
    x = C.input_variable(3, needs_gradient=True)
    y, z = op('two')(x).outputs
    np.testing.assert_array_equal(
        C.combine([y * z]).grad({x: NUMBERS}), NUMBERS**2 + 2 * NUMBERS
    )  # what the rule says
    for one in (y, z):
        with pytest.raises(RuntimeError) as caught:
            C.alias(one).grad({x: NUMBERS})
        for word in ('two', 'passes an empty value as operand', 'of plus', 'if (g.dy(i))', str(path)):
            assert word in str(caught.value), str(caught.value)


def test_an_attribute_that_is_not_in_the_signature(tmp_path):
    flags = ['-DWRONG=field.value.as.real = 1, op.fields = &field, op.field_count = 1']
    refused(
        compiled(tmp_path / 'wrong.so', SOURCES / 'wrong' / 'wrong.c', flags=flags),
        'its attribute rate is not in the signature',
        'wrong',
        'wrong.so',
    )


@pytest.fixture(scope='module')
def facts(tmp_path_factory):
    """Operators that state facts which are wrong."""
    path = tmp_path_factory.mktemp('facts') / 'facts.so'
    C.load_operators(compiled(path, SOURCES / 'wrong' / 'facts.cc'))
    return path


@pytest.mark.parametrize(
    'name, said',
    [
        ('sizes_rank', 'told the sizes [2, 3] of output 0, which is float32[*]'),
        ('sizes_negative', 'told the sizes'),
        ('sizes_output', 'told the size of output 1, and has 1 outputs'),
        ('sizes_untold', 'told no size of output 0'),
        ('sizes_thrown', 'the sensor is off'),
        ('reader', 'reads what an operator saves'),
        ('packing', 'has no operand 5'),
        ('late', 'nothing tells them'),
        ('settled', 'settled size, but the operator has no attribute of that name'),
        ('settled_value', 'the attribute packed must be True or False, not [2, 3]'),
    ],
)
def test_facts_that_are_wrong(name, said, facts):
    x = C.input_variable(3, needs_gradient=True)
    with pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        call('wrong_' + name, x).eval({x: NUMBERS})
    text = str(caught.value)
    assert said in text, text
    assert 'wrong_' + name in text and 'test_wrong_libraries.py' in text, text


def test_parts_that_are_none(facts):
    x = C.input_variable(3)
    for name, said in (
        ('part', 'from position 2 of axis 0'),
        ('part_axis', r'along\(3\) was asked for, but there are 1'),
    ):
        with pytest.raises(RuntimeError, match=said):
            (call('wrong_' + name, x) + call('wrong_' + name, 2 * x)).eval({x: NUMBERS})


def test_names_of_axes_that_are_not_there(facts):
    x = C.input_variable((2, 4, 4))
    image = C.layers.Convolution2D((3, 3), 2, pad=True)(x)
    for name, said in (('names', 'names 5 axes of operand 0'), ('names_twice', 'two axes of operand 0')):
        with pytest.raises(RuntimeError, match=said):
            call('wrong_' + name, image).eval({x: np.ones((1, 2, 4, 4), np.float32)})


def test_nothing_was_saved(facts):
    x = C.input_variable(3, needs_gradient=True)
    with pytest.raises(RuntimeError, match='passes an empty value as operand 0 of wrong_reader'):
        call('wrong_gradient', x).grad({x: NUMBERS})


@pytest.mark.parametrize(
    'body, said',
    [
        ('.lower([](Builder& b) { b.result(b.x()); })', 'follows from its body'),
        ('.composite([](Builder& b) { b.result(b.x()); })', 'follows from its body'),
        ('.expression([](Real x) { return x; })', 'follows from its expression'),
    ],
)
def test_a_gradient_that_nothing_would_call(body, said, tmp_path):
    source = tmp_path / 'both.cc'
    source.write_text(
        '#include <cantik/op.h>\nusing namespace cantik;\nCANTIK_OP(both) {\n  op.signature("both_rules(x)")'
        f'{body}.gradient([](Gradient& g) {{ g.dx(0, g.dy()); }});\n}}\nCANTIK_LIBRARY(both)\n'
    )
    refused(
        compiled(tmp_path / 'both.so', source), 'both_rules has a gradient rule that nothing would call', said
    )


def test_a_fact_that_contradicts_another(tmp_path):
    source = tmp_path / 'saves.cc'
    source.write_text(
        '#include <cantik/op.h>\nusing namespace cantik;\n'
        'CANTIK_OP(saves) {\n  op.signature("saves_rows(x)").traits(CANTIK_ROW_WISE).saves()\n'
        '      .kernel("none", [](auto, const Run&, const NoAttributes&) {});\n}\nCANTIK_LIBRARY(saves)\n'
    )
    refused(compiled(tmp_path / 'saves.so', source), 'it saves something of all rows', 'saves.so')
