"""Typed C++ calls of the operators: include/cantik/ops.h."""

BY_HAND = {'combine'}
# Modules whose operators stand in a namespace of their own.
NAMESPACES = {'cantik.ops.sequence': 'sequence', 'cantik.linalg': 'linalg'}
# More attributes than this make a struct of options, to be written with designated initializers.
FEW = 2

HEADER = '''// Typed calls of the operators. Written by tools/generate from the operators' files: change those.
//
//   auto h = relu(times(x, w) + b);
//   auto y = convolution(w, x, {.strides = {2, 2}, .name = "c"});
#pragma once

#include <string>
#include <vector>

#include <cantik/axis.h>
#include <cantik/function.h>
#include <cantik/initializer.h>
#include <cantik/source_location.h>

namespace cantik {

// An axis as an argument: a number, or an Axis.
struct AxisArgument {
  int64_t code;
  // Static axes by their index, negative ones from the end; others as an Axis.
  AxisArgument(int64_t index) : code(index) {}
  AxisArgument(int index) : code(index) {}
  AxisArgument(const Axis& axis) : code(axis.code()) {}
};

namespace detail {
inline std::vector<int64_t> codes(const std::vector<AxisArgument>& axes) {
  std::vector<int64_t> list;
  for (const AxisArgument& a : axes) list.push_back(a.code);
  return list;
}
}  // namespace detail

'''

FOOTER = '''inline Function operator+(const Variable& a, const Variable& b) { return call("plus", {a, b}); }
inline Function operator-(const Variable& a, const Variable& b) { return call("minus", {a, b}); }
inline Function operator*(const Variable& a, const Variable& b) { return call("element_times", {a, b}); }
inline Function operator/(const Variable& a, const Variable& b) { return call("element_divide", {a, b}); }
inline Function operator-(const Variable& a) { return call("negate", {a}); }
// With a number on one side.
inline Function operator+(const Variable& a, double b) { return a + constant(Shape(), b); }
inline Function operator+(double a, const Variable& b) { return constant(Shape(), a) + b; }
inline Function operator-(const Variable& a, double b) { return a - constant(Shape(), b); }
inline Function operator-(double a, const Variable& b) { return constant(Shape(), a) - b; }
inline Function operator*(const Variable& a, double b) { return a * constant(Shape(), b); }
inline Function operator*(double a, const Variable& b) { return constant(Shape(), a) * b; }
inline Function operator/(const Variable& a, double b) { return a / constant(Shape(), b); }
inline Function operator/(double a, const Variable& b) { return constant(Shape(), a) / b; }

}  // namespace cantik
'''


def type_of(field):
    return {
        'axis': 'AxisArgument',
        'axes': 'std::vector<AxisArgument>',
        'shape': 'Shape',
        'dtype': 'DType',
        'seed': 'uint64_t',
    }.get(field['role']) or {
        'bool': 'bool',
        'int': 'int64_t',
        'real': 'double',
        'text': 'std::string',
        'ints': 'std::vector<int64_t>',
        'reals': 'std::vector<double>',
        'none': 'Attribute',
    }[field['kind']]


def literal(field):
    value = field['default']
    role, kind = field['role'], field['kind']
    if role == 'dtype':
        return f'DType({value or 0})'
    if role == 'seed':
        return 'kAutoSeed'
    if role in ('shape', 'axes') or kind in ('ints', 'reals'):
        return '{' + ', '.join(str(v) for v in value or []) + '}'
    if kind == 'bool':
        return 'true' if value else 'false'
    if kind == 'text':
        return f'"{value}"'
    return str(value if value is not None else '{}')


def passed(field, name):
    value = {'axes': 'detail::codes({})', 'axis': '{}.code', 'seed': 'static_cast<int64_t>({})'}.get(
        field['role'], '{}'
    ).format(name)
    return '{{"{}", {}}}'.format(field['name'], value)


def struct_name(op):
    return ''.join(part.capitalize() for part in op['name'].split('_')) + 'Options'


def call_of(op):
    inputs = [p for p in op['parameters'] if p['field'] < 0 and not p['name'].startswith('*')]
    fields = [(p, op['fields'][p['field']]) for p in op['parameters'] if p['field'] >= 0]
    variadic = len(inputs) == 1 and inputs[0]['variadic']
    parameters = (
        ['const std::vector<Variable>& ' + inputs[0]['name']]
        if variadic
        else ['const Variable& {}{}'.format(p['name'], ' = {}' if p['default'] else '') for p in inputs]
    )
    text = ''
    optional = [p for p in inputs if p['default']]
    grouped = len(fields) > FEW
    if grouped:
        text += '// Options of {}().\nstruct {} {{\n'.format(op['name'], struct_name(op))
        for p, f in fields:
            text += '  {} {}{};\n'.format(
                type_of(f), p['name'], ' = ' + literal(f) if p['default'] or True else ''
            )
        for p in optional:
            text += '  Variable {} = {{}};\n'.format(p['name'])
        text += '  std::string name = {};\n};\n'
        parameters = [p for p in parameters if not p.endswith('= {}')] + [
            f'const {struct_name(op)}& options = {{}}'
        ]
        name, prefix = 'options.name', 'options.'
    else:
        for p, f in fields:
            constant = type_of(f).startswith('std::') or type_of(f) == 'Shape'
            parameters.append(
                '{} {}{}'.format(
                    f'const {type_of(f)}&' if constant else type_of(f),
                    p['name'],
                    ' = ' + literal(f) if p['default'] else '',
                )
            )
        parameters.append('const std::string& name = {}')
        name, prefix = 'name', ''
    parameters.append('SourceLocation where = SourceLocation::current()')
    text += '// {}\n'.format((op['doc'] or op['comment'] or op['name']).splitlines()[0])
    name_there = op['python_name'] if op['module'] in NAMESPACES else op['name']
    text += 'inline Function {}({}) {{\n  OriginScope scope(where);\n'.format(
        op['names'].get('cpp', name_there), ', '.join(parameters)
    )
    if variadic:
        operands = inputs[0]['name']
    elif optional:
        text += '  std::vector<Variable> operands{{{}}};\n'.format(
            ', '.join(p['name'] for p in inputs if not p['default'])
        )
        for p in optional:
            text += '  if ({0}{1}) operands.push_back({0}{1});\n'.format(prefix, p['name'])
        operands = 'operands'
    else:
        operands = '{' + ', '.join(p['name'] for p in inputs) + '}'
    attributes = ', '.join(passed(f, prefix + p['name']) for p, f in fields)
    text += '  return call("{}", {}, {{{}}}, {});\n}}\n'.format(op['name'], operands, attributes, name)
    return text


def header(ops):
    chosen = [op for op in ops if op['name'] not in BY_HAND]
    text = HEADER + '\n'.join(call_of(op) for op in chosen if op['module'] not in NAMESPACES) + '\n'
    for module, namespace in NAMESPACES.items():
        text += (
            f'namespace {namespace} {{\n\n'
            + '\n'.join(call_of(op) for op in chosen if op['module'] == module)
            + f'\n}}  // namespace {namespace}\n\n'
        )
    return text + FOOTER
