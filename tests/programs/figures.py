"""What a program prints, on two systems: the same words, and numbers that agree.

Numbers agree within 2e-5 of their size, or 2e-6, or one in the last place that is printed. Both systems
compute in float32 and add in another order, so an inner product of some hundred numbers differs by a few 1e-7
of its size, and some dozens of updates make it a few 1e-6. A wrong initial value, dropout mask, order of the
data or learning rate changes the third digit.
"""

import re

RELATIVE, ABSOLUTE = 2e-5, 2e-6
NUMBER = re.compile(r'[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?')
TIME = re.compile(r'\d+\.\d+s( \( *[\d.]+ samples/s\))?(?=;|$)', re.M)  # no speed of no time
MADE_NAME = re.compile(r"\b((?:[A-Z][A-Za-z]+)+)\d+(?=_Output_\d+'|')")  # 'Input19', 'Plus27_Output_0'


def tidy(text):
    """Lines without times, numbers in names that the systems make up, and white space that lines arrays
    up."""
    text = MADE_NAME.sub(r'\1', TIME.sub('TIME', text))
    lines = [' '.join(line.split()).replace('[ ', '[').replace(' ]', ']') for line in text.splitlines()]
    return [line for line in lines if line]


def unit(number):
    """One in the last place; a whole number is exact."""
    if '.' not in number:
        return 0.0
    digits, _, exponent = number.lower().partition('e')
    return 10.0 ** (int(exponent or 0) - len(digits.split('.')[1]))


def agree(a, b):
    if a == b:
        return True
    x, y = float(a), float(b)
    if '.' not in a and '.' not in b:
        return x == y
    return abs(x - y) <= ABSOLUTE + RELATIVE * max(abs(x), abs(y)) + 1.01 * max(unit(a), unit(b))


def differences(ours, theirs):
    """The lines that differ, as texts."""
    a, b = tidy(ours), tidy(theirs)
    found = []
    for i in range(max(len(a), len(b))):
        x, y = a[i] if i < len(a) else '(no line)', b[i] if i < len(b) else '(no line)'
        numbers = list(zip(NUMBER.findall(x), NUMBER.findall(y)))
        if NUMBER.sub('#', x) != NUMBER.sub('#', y) or not all(agree(p, q) for p, q in numbers):
            found.append('line {}\n  ours    {}\n  theirs  {}'.format(i + 1, x, y))
    return found
