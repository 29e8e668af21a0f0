"""Calls every public function with one wrong argument at a time, and writes down the outcomes, on Cantik or
on CNTK 2.7.

    PYTHON run.py OUTCOMES [--part=K/N] [WORD ...]

calls.txt has a right call of each function; wrong.txt has the wrong values, which take an argument's place in
turn. A line of OUTCOMES is: call, argument, wrong value, class of the error (or ok), text of the error. A
WORD chooses the lines of calls.txt that have it; a part is every N-th line. The file runs on the oldest
Python that CNTK 2.7 runs on.

Each line of calls.txt runs in a process of its own: a call may end its process, or not come to an end.
"""

import ast
import os
import resource
import select
import shutil
import signal
import sys
import time
import warnings
from collections import namedtuple

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 20  # that a call may take
MEMORY = 6 << 30  # of addresses
END = b'\0'

# arguments: names, or places as texts; omitted: {argument: names of values}; outcome: of the right call
Call = namedtuple('Call', 'text arguments omitted outcome')


def read(name):
    """The lines of a file, without empty ones and comments."""
    with open(os.path.join(HERE, name), encoding='utf-8') as f:
        return [line.rstrip('\n') for line in f if line.strip() and not line.startswith('#')]


def wrong_values():
    """Names and expressions, in order."""
    return [tuple(part.strip() for part in line.split(None, 1)) for line in read('wrong.txt')]


def _places(tree):
    """The arguments of a call, and of the calls inside its function: {argument: (call, place or keyword)}.

    Keywords have their names, others their places; of f(a)(b), b is (0).
    """
    found, calls = {}, [tree.body]
    while isinstance(calls[-1].func, ast.Call):
        calls.append(calls[-1].func)
    for depth, made in enumerate(reversed(calls)):
        for i in range(len(made.args)):
            found[f'({i})' if depth else str(i)] = made, i
        for keyword in made.keywords:
            found[keyword.arg] = made, keyword.arg
    return found


def arguments_of(text):
    """The names of a call's arguments."""
    return list(_places(ast.parse(text, mode='eval')))


def calls():
    """The calls of calls.txt.

    Notes stand behind two spaces and a #, with ; between them: `argument: value value (reason)` and
    `argument: all (reason)` are not tried; `raises: Error (reason)` is the outcome of the right call.
    """
    found = []
    for line in read('calls.txt'):
        text, _, notes = line.partition('  # ')
        omitted, outcome = {}, 'ok'
        for note in notes.split(';') if notes else ():
            argument, _, values = note.partition(':')
            words = values.partition('(')[0].split()
            if argument.strip() == 'raises':
                outcome = words[0]
            else:
                omitted[argument.strip()] = words
        found.append(Call(text.strip(), arguments_of(text.strip()), omitted, outcome))
    return found


def with_wrong(call, argument):
    """Code of the call that takes this argument from the name `wrong`."""
    tree = ast.parse(call.text, mode='eval')
    made, place = _places(tree)[argument]
    name = ast.copy_location(ast.Name(id='wrong', ctx=ast.Load()), tree.body)
    if isinstance(place, int):
        made.args[place] = name
    else:
        next(k for k in made.keywords if k.arg == place).value = name
    return compile(ast.fix_missing_locations(tree), '<call>', 'eval')


def trials(call, wrong):
    """(argument, name of the value) of all that is tried; ('', '') is the right call itself."""
    yield '', ''
    for argument in call.arguments:
        omitted = call.omitted.get(argument, ())
        for name, _ in wrong:
            if name not in omitted and 'all' not in omitted:
                yield argument, name


def attempt(call, argument, expression):
    """The outcome of one call and of the use of its result."""
    from world import World, use

    world = World()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            if not argument:
                use(eval(call.text, world))
            else:
                world['wrong'] = eval(expression, World())
                use(eval(with_wrong(call, argument), world))
        return 'ok', ''
    except BaseException as error:
        return type(error).__name__, str(error)


def child(call, wrong, begin, out):
    """Runs the trials from number `begin` on; writes a line for each."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    expressions = dict(wrong)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    for number, (argument, name) in enumerate(trials(call, wrong)):
        if number < begin:
            continue
        outcome, text = attempt(call, argument, expressions.get(name))
        record = '\t'.join(
            (argument, name, outcome, text.replace('\0', '').replace('\t', ' ').replace('\n', '\\n'))
        )
        os.write(out, record.encode('utf-8', 'replace')[:4000] + END)


def outcomes(call, wrong):
    """(argument, value, outcome, text) of each trial of a call."""
    expected = list(trials(call, wrong))
    done = 0
    while done < len(expected):
        begin = done
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            try:
                child(call, wrong, begin, writer)
            finally:
                os._exit(0)
        os.close(writer)
        rest, ended = b'', 'died'
        while True:
            if not select.select([reader], [], [], SECONDS)[0]:
                ended = 'hangs'
                os.kill(pid, signal.SIGKILL)
                break
            more = os.read(reader, 1 << 16)
            if not more:
                break
            records = (rest + more).split(END)
            rest = records.pop()
            for record in records:
                yield tuple(record.decode('utf-8', 'replace').split('\t', 3))
                done += 1
        os.close(reader)
        os.waitpid(pid, 0)
        if done < len(expected):
            yield expected[done] + (ended, '')
            done += 1


def main():
    path = os.path.abspath(sys.argv[1])
    chosen = [word for word in sys.argv[2:] if not word.startswith('--part=')]
    part, parts = next(
        (map(int, word[len('--part=') :].split('/')) for word in sys.argv[2:] if word.startswith('--part=')),
        (0, 1),
    )
    sys.path.insert(0, HERE)
    import world  # before the first process is divided

    wrong = wrong_values()
    start = time.time()
    with open(path, 'w', encoding='utf-8') as out:
        for number, call in enumerate(calls()):
            if number % parts != part or (chosen and not any(word in call.text for word in chosen)):
                continue
            for outcome in outcomes(call, wrong):
                out.write('\t'.join((call.text,) + outcome) + '\n')
            out.flush()
    shutil.rmtree(world.FOLDER, ignore_errors=True)
    sys.stderr.write(f'{time.time() - start:.0f} s\n')


if __name__ == '__main__':
    main()
