"""A file includes what it uses of the standard library: itself, or by the header of the same name.

Headers that are compiled once for all files of a target would hide an include that is missing."""

import re

from checks.tree import name, text, with_suffix

# Names that files use most, and the header that has each. A name that several headers have is left out.
HEADERS = {
    'algorithm': 'sort stable_sort find find_if none_of any_of all_of count_if copy_n fill_n min_element '
    'max_element reverse lower_bound upper_bound clamp transform unique stable_partition partition '
    'nth_element rotate',
    'array': 'array',
    'atomic': 'atomic',
    'charconv': 'from_chars to_chars',
    'chrono': 'chrono',
    'condition_variable': 'condition_variable',
    'cstring': 'memcpy memcmp memset memmove strlen',
    'deque': 'deque',
    'filesystem': 'filesystem',
    'fstream': 'ifstream ofstream',
    'functional': 'function',
    'iostream': 'cout cerr',
    'limits': 'numeric_limits',
    'list': 'list',
    'map': 'map multimap',
    'memory': 'unique_ptr shared_ptr weak_ptr make_unique make_shared',
    'mutex': 'mutex lock_guard unique_lock call_once once_flag',
    'numeric': 'accumulate iota gcd',
    'optional': 'optional nullopt',
    'random': 'mt19937 mt19937_64 normal_distribution uniform_real_distribution',
    'set': 'set multiset',
    'span': 'span',
    'sstream': 'ostringstream istringstream stringstream',
    'string': 'string to_string stoi stoull',
    'string_view': 'string_view',
    'thread': 'thread this_thread',
    'tuple': 'tuple tie tuple_cat',
    'unordered_map': 'unordered_map',
    'unordered_set': 'unordered_set',
    'variant': 'variant holds_alternative get_if',
    'vector': 'vector',
    'queue': 'queue priority_queue',
    'typeindex': 'type_index',
}
HOME = {used: header for header, names in HEADERS.items() for used in names.split()}
# What the headers that all of a room stand on bring along, on purpose.
BRINGS = {
    '<cantik/op.h>': {
        'memory',
        'string',
        'vector',
        'optional',
        'tuple',
        'cstring',
        'algorithm',
        'variant',
        'deque',
    },
    '"layers/define.h"': {'functional', 'optional', 'string', 'tuple', 'vector'},
}
USED = re.compile(r'\bstd::(\w+)')
INCLUDED = re.compile(r'^\s*#\s*include\s+(<[^>]+>|"[^"]+")', re.M)


def included(content):
    return set(INCLUDED.findall(content))


def code(content):
    """The text without comments and literals."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', '', content, flags=re.S)


def wanted(file):
    content = text(file)
    there = included(content)
    header = file.with_suffix('.h')
    if file.suffix == '.cc' and header.exists():
        there |= included(text(header))
    has = {h[1:-1] for h in there}
    for brought, headers in BRINGS.items():
        if brought in there:
            has |= headers
    return sorted({HOME[n] for n in USED.findall(code(content)) if n in HOME} - has)


def problems():
    for file in with_suffix('.h', '.cc', under=['include', 'src']):
        for header in wanted(file):
            yield f'{name(file)}: uses <{header}> and does not include it'
