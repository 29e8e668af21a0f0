// Calls of user functions while networks run: under Python's lock, and no other.
#include <algorithm>
#include <array>

#include "binding/numpy.h"
#include "binding/text.h"
#include "binding/user_code.h"
#include "binding/user_function.h"

namespace cantik::python {
namespace {

PyObject* interned(const char* text) {
  PyObject* s = PyUnicode_InternFromString(text);
  if (!s) throw nb::python_error();
  return s;
}

template <size_t N>
nb::object call_method(nb::handle self, PyObject* name, const std::array<PyObject*, N>& arguments) {
  std::array<PyObject*, N + 2> all{nullptr, self.ptr()};  // the first is the interpreter's to use
  std::copy(arguments.begin(), arguments.end(), all.begin() + 2);
  PyObject* r = nullptr;
  or_stay([&] {
    r = PyObject_VectorcallMethod(name, all.data() + 1, (N + 1) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  });
  if (!r) throw nb::python_error();
  return nb::steal(r);
}

nb::handle device() {
  static PyObject* cpu = nullptr;  // under Python's lock; a static's own lock would be a second one
  if (!cpu) cpu = nb::module_::import_("cantik").attr("cpu")().release().ptr();
  return cpu;
}

nb::handle nothing() {
  static PyObject* empty = PyTuple_New(0);
  return empty;
}

// One operand by itself, several as a tuple.
nb::object together(std::span<const UserRows> rows, CallStyle style, UserRun& run, bool always = false) {
  if (rows.size() == 1 && !always) return shown(rows[0], style, run);
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(rows.size())));
  for (size_t i = 0; i < rows.size(); ++i)
    NB_TUPLE_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), shown(rows[i], style, run).release().ptr());
  return t;
}

nb::object all_writable(std::span<const UserRows> rows, UserRun& run) {
  nb::object t = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(rows.size())));
  for (size_t i = 0; i < rows.size(); ++i)
    NB_TUPLE_SET_ITEM(t.ptr(), static_cast<Py_ssize_t>(i), writable(rows[i], run).release().ptr());
  return t;
}

void settle_all(nb::handle arrays, std::span<const UserRows> rows) {
  for (size_t i = 0; i < rows.size(); ++i)
    settle(NB_TUPLE_GET_ITEM(arrays.ptr(), static_cast<Py_ssize_t>(i)), rows[i]);
}

// None needs no keeping.
std::shared_ptr<const void> kept(nb::object state) {
  return state.is_none() ? nullptr : hold(std::move(state));
}
nb::handle state_of(const UserCall& call) {
  return *call.state ? nb::handle(static_cast<PyObject*>(const_cast<void*>(call.state->get())))
                     : nb::handle(Py_None);
}
// The pair of state and results that `make` kept.
nb::handle made_by(const UserCall& call) {
  return static_cast<PyObject*>(const_cast<void*>(call.made.get()));
}

// Runs f, under Python's lock, which the run has taken; what goes wrong in it names the function and where it
// was made.
template <class F>
auto in_python(const UserOperator& op, const char* method, F&& f) {
  need_python(op.name());
  try {
    return f();
  } catch (nb::python_error& e) {
    raise_from_user(e,
                    op.at_node(runtime_error(cat(op.name(), ".", method, ": ", exception_text(e)))).what());
  } catch (const Error& e) {
    throw op.at_node(e);
  }
}

}  // namespace

std::shared_ptr<const void> PythonOperator::forward(const UserCall& call) const {
  return in_python(*this, "forward", [&]() -> std::shared_ptr<const void> {
    static PyObject* method = interned("forward");
    if (style_ == CallStyle::slots) {
      nb::object in = together(call.x, style_, *call.run, true), out = all_writable(call.y, *call.run);
      nb::object state =
          call_method<3>(self_, method, {call.training ? Py_True : Py_False, in.ptr(), out.ptr()});
      settle_all(out, call.y);
      return call.training ? kept(std::move(state)) : nullptr;
    }
    nb::object results;
    std::shared_ptr<const void> state;
    if (call.made) {
      state = kept(nb::borrow(NB_TUPLE_GET_ITEM(made_by(call).ptr(), 0)));
      results = nb::borrow(NB_TUPLE_GET_ITEM(made_by(call).ptr(), 1));
    } else {
      state = called(call, &results);
    }
    take_results(call, results);
    return state;
  });
}

// The user's forward: the state for backward; the result, or a dictionary of several.
std::shared_ptr<const void> PythonOperator::called(const UserCall& call, nb::object* result) const {
  static PyObject* method = interned("forward");
  nb::object in = together(call.x, style_, *call.run);
  nb::handle retain = call.training ? retained() : nothing();
  if (call.y.size() == 1) {
    nb::object pair = call_method<3>(self_, method, {in.ptr(), device().ptr(), retain.ptr()});
    const bool is_listed = PyTuple_Check(pair.ptr()) || PyList_Check(pair.ptr());
    const bool two = is_listed && PySequence_Size(pair.ptr()) == 2;
    if (!two)
      throw value_error(name() + ".forward returned " + class_name(pair) + ", not a pair")
          .remedy("return a pair: the state for backward, and the result");
    *result = pair[1];
    return call.training ? kept(pair[0]) : nullptr;
  }
  nb::dict outputs;
  for (const Variable& v : results()) outputs[wrap(v)] = nb::none();
  nb::object state = call_method<4>(self_, method, {in.ptr(), outputs.ptr(), device().ptr(), retain.ptr()});
  *result = outputs;
  return call.training ? kept(std::move(state)) : nullptr;
}

// One of them, as forward gave it.
nb::handle PythonOperator::result(nb::handle made, size_t i, size_t count) const {
  if (count == 1) {
    if (made.is_none())
      throw value_error(name() + ".forward returned no result")
          .remedy("return a pair: the state for backward, and the result");
    return made;
  }
  PyObject* given = PyDict_GetItemWithError(made.ptr(), wrap(results()[i]).ptr());
  if (!given && PyErr_Occurred()) throw nb::python_error();
  if (!given || given == Py_None)
    throw value_error(cat(name(), ".forward: not all outputs have been provided, output ", i, " is missing"))
        .remedy("set outputs[self.outputs[i]] for each output");
  return given;
}

void PythonOperator::take_results(const UserCall& call, nb::handle made) const {
  for (size_t i = 0; i < call.y.size(); ++i)
    if (call.y[i]) try {
        take(result(made, i, call.y.size()), call.y[i], name() + ".forward");
      } catch (const UnlikeSamples&) {
        if (!tells_sizes || !call.y[i].type->axes.has_batch() || tells_samples.exchange(true)) throw;
        throw OtherSamples();
      }
}

std::shared_ptr<const void> PythonOperator::make(const UserCall& call) const {
  return in_python(*this, "forward", [&]() -> std::shared_ptr<const void> {
    if (style_ == CallStyle::slots)
      throw unsupported("a result of " + name() + " cannot have a sequence axis of its own here");
    nb::object results;
    std::shared_ptr<const void> state = called(call, &results);
    return hold(nb::make_tuple(
        state ? nb::borrow(static_cast<PyObject*>(const_cast<void*>(state.get()))) : nb::none(), results));
  });
}

void PythonOperator::sizes(const UserCall& call, std::span<Shape> shapes) const {
  in_python(*this, "forward", [&] {
    for (size_t i = 0; i < shapes.size(); ++i)
      shapes[i] = shape_given(result(NB_TUPLE_GET_ITEM(made_by(call).ptr(), 1), i, shapes.size()),
                              *call.y[i].type, name() + ".forward");
  });
}

void PythonOperator::lengths(const UserCall& call, size_t i, std::span<int64_t> lengths) const {
  in_python(*this, "forward", [&] {
    nb::handle made = result(NB_TUPLE_GET_ITEM(made_by(call).ptr(), 1), i, call.y.size());
    if (!PyList_Check(made.ptr()) || NB_LIST_GET_SIZE(made.ptr()) != static_cast<Py_ssize_t>(lengths.size()))
      throw value_error(cat(name(), ".forward: a result with sequences of its own must be a list of ",
                            lengths.size(), lengths.size() == 1 ? " array" : " arrays"));
    for (size_t s = 0; s < lengths.size(); ++s) {
      nb::object shape = nb::borrow(NB_LIST_GET_ITEM(made.ptr(), static_cast<Py_ssize_t>(s))).attr("shape");
      if (nb::len(shape) == 0)
        throw value_error(
            cat(name(), ".forward: sequence ", s, " of a result must have an axis of steps, and is a number"))
            .remedy("give an array with a row for each step");
      lengths[s] = nb::cast<int64_t>(nb::object(shape[0]));
    }
  });
}

void PythonOperator::part(const UserCall& call, size_t i) const {
  in_python(*this, "forward", [&] {
    take(result(NB_TUPLE_GET_ITEM(made_by(call).ptr(), 1), i, call.y.size()), call.y[i], name() + ".forward");
  });
}

namespace {

// Any rows of a call that lie on these axes.
const UserRows* rows_on(const UserCall& call, const Axes& axes) {
  for (std::span<const UserRows> list : {call.dy, call.dx, call.x})
    for (const UserRows& r : list)
      if (r && r.type->axes == axes) return &r;
  return nullptr;
}

// Whether an operand stands before, too.
bool is_repeated(std::span<const Variable> operands, size_t i) {
  return std::find(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(i), operands[i]) !=
         operands.begin() + static_cast<std::ptrdiff_t>(i);
}

}  // namespace

void PythonOperator::backward(const UserCall& call) const {
  in_python(*this, "backward", [&] {
    static PyObject* method = interned("backward");
    const nb::object state = nb::borrow(state_of(call));
    call.state->reset();  // here, under Python's lock
    if (style_ == CallStyle::slots) {
      nb::object dy = together(call.dy, style_, *call.run, true),
                 x = together(call.x, style_, *call.run, true), y = together(call.y, style_, *call.run, true);
      nb::object dx = all_writable(call.dx, *call.run);
      call_method<5>(self_, method, {state.ptr(), dy.ptr(), x.ptr(), y.ptr(), dx.ptr()});
      return settle_all(dx, call.dx);
    }
    nb::object roots;
    if (call.dy.size() == 1) {
      roots = shown(call.dy[0], style_, *call.run);
    } else {
      nb::dict all;
      const std::vector<Variable> mine = results();
      for (size_t i = 0; i < call.dy.size(); ++i)
        if (call.dy[i])
          all[wrap(mine[i])] = shown(call.dy[i], style_, *call.run);
        else if (const UserRows* like = rows_on(call, mine[i].axes()))
          all[wrap(mine[i])] = zeros_shown(mine[i].type(), *like, style_, *call.run);
      roots = std::move(all);
    }
    const std::string what = name() + ".backward";
    if (call.dx.size() == 1) {
      nb::object d = call_method<2>(self_, method, {state.ptr(), roots.ptr()});
      return d.is_none() ? clear(call.dx[0]) : take(d, call.dx[0], what);
    }
    const std::vector<Variable> in = operands();
    const nb::tuple keys = wrap_all(in);
    nb::dict variables;
    for (size_t i = 0; i < call.dx.size(); ++i)
      if (call.dx[i])
        variables[nb::borrow(NB_TUPLE_GET_ITEM(keys.ptr(), static_cast<Py_ssize_t>(i)))] = nb::none();
    call_method<3>(self_, method, {state.ptr(), roots.ptr(), variables.ptr()});
    for (size_t i = 0; i < call.dx.size(); ++i) {
      if (!call.dx[i]) continue;
      if (is_repeated(in, i)) {  // one key, one gradient: all of it has gone to the first
        clear(call.dx[i]);
        continue;
      }
      PyObject* d =
          PyDict_GetItemWithError(variables.ptr(), NB_TUPLE_GET_ITEM(keys.ptr(), static_cast<Py_ssize_t>(i)));
      if (!d && PyErr_Occurred()) throw nb::python_error();
      if (!d || d == Py_None)
        clear(call.dx[i]);
      else
        take(d, call.dx[i], what);
    }
  });
}

}  // namespace cantik::python
