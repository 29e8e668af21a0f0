"""No conditional expression of Python stands in another one: an `if`, a table or a function is clearer."""

import ast

from checks.tree import ROOT, name, text, with_suffix


def nested(tree):
    """The lines of conditional expressions that have another one as a part of their own."""
    for node in ast.walk(tree):
        if isinstance(node, ast.IfExp):
            if any(isinstance(part, ast.IfExp) for part in (node.test, node.body, node.orelse)):
                yield node.lineno


def problems():
    for file in [*with_suffix('.py', under=['python', 'tools']), ROOT / 'tools' / 'generate']:
        for line in nested(ast.parse(text(file))):
            yield f'{name(file)}:{line}: a conditional expression in another one'
