// User functions as nodes of graphs: made, typed, copied, saved and loaded.
#include "binding/user_function.h"

#include <algorithm>
#include <utility>

#include "binding/dictionary.h"
#include "binding/feeds.h"
#include "binding/layers.h"
#include "binding/numpy.h"
#include "binding/text.h"
#include "binding/user_code.h"

namespace cantik::python {
namespace {

// Types that a compiler asks about, where sizes are numbers that the graph does not know: `inputs` shows them
// while infer_outputs runs.
struct Shown {
  const PyObject* self;
  const std::vector<Variable>* inputs;
  const Shown* outer;
};
thread_local const Shown* being_inferred = nullptr;

// The results of a node, without holding it: what forward gets as outputs_to_retain.
struct Retained {
  std::weak_ptr<const UserOperator> object;
  nb::tuple all() const {
    std::shared_ptr<const UserOperator> op = object.lock();
    return op ? wrap_all(op->results()) : nb::tuple();
  }
};

CallStyle style_named(const std::string& name) {
  if (name == "arrays") return CallStyle::arrays;
  if (name == "values") return CallStyle::values;
  if (name == "slots") return CallStyle::slots;
  throw value_error("the form of a user function's data must be 'arrays', 'values' or 'slots', not '" + name +
                    "'");
}

std::vector<bool> flags(nb::handle self, const char* name, size_t count) {
  std::vector<bool> list(count, false);
  nb::object given = nb::getattr(self, name, nb::none());
  if (given.is_none()) return list;
  if (PyBool_Check(given.ptr())) return std::vector<bool>(count, given.is(Py_True));
  size_t i = 0;
  for (nb::handle item : given)
    if (i < count) list[i++] = nb::cast<bool>(item);
  return list;
}

// What infer_outputs leaves free though the sizes of the operands are known is taken to be as large as
// theirs; a call that gives something else says so.
void close(std::vector<UserResult>& out, std::span<const Type> in) {
  for (const Type& t : in)
    if (!t.is_known() || !t.shape.is_static()) return;
  for (auto& [t, name, passes] : out)
    for (int i = 0; t.shape.is_known() && i < t.shape.rank(); ++i) {
      if (t.shape[i] >= 0) continue;
      for (const Type& x : in)
        if (x.shape.rank() == t.shape.rank()) t.shape[i] = std::max(t.shape[i], x.shape[i]);
    }
}

nb::object& reader() {
  static nb::object* callable = new nb::object;
  return *callable;
}

// A class or callback of the program makes the function again; nothing that the file names is looked for
// anywhere else.
Function read(const Dictionary& saved, const std::vector<Variable>& in, const std::string& name) {
  if (python_has_ended()) return {};
  Locked lock;
  if (!reader().is_valid()) return {};
  try {
    nb::object made = reader()(to_python(saved), wrap_all(in), name);
    if (made.is_none()) return {};
    return as_function(made, "a user function that was loaded");
  } catch (nb::python_error& e) {
    const DictionaryValue* of = saved.find("op_name");
    std::string what = of && of->get<std::string>() ? *of->get<std::string>() : "user function";
    raise_from_user(e, what + ".deserialize failed");
  }
}

std::shared_ptr<PythonOperator> python_operator(const Function& f) {
  return std::dynamic_pointer_cast<PythonOperator>(user_operator_of(f));
}

Dictionary record_of(nb::handle self) {
  nb::object type = nb::borrow(self.type()), state = nb::borrow(self).attr("serialize")();
  Dictionary d;
  d["class"] = nb::cast<std::string>(type.attr("__name__"));
  d["module"] = nb::cast<std::string>(type.attr("__module__"));
  d["op_name"] = nb::cast<std::string>(nb::borrow(self).attr("op_name"));
  d["state"] = state.is_none() ? Dictionary() : dictionary_from(state);
  d["version"] = uint64_t{1};
  return d;
}

}  // namespace

Function FunctionBox::function() const { return user ? user->function() : held; }

Function UserPart::function() {
  if (const std::shared_ptr<PythonOperator> mine = op.lock())
    if (Function f = mine->function()) return f;
  OriginScope origin(made_at);
  if (lost)
    throw value_error("the recurrence around " + op_name + " no longer exists")
        .made_at(made_at.text())
        .remedy("make a new object of the class");
  auto made = std::make_shared<PythonOperator>(nb::borrow(self), *this);
  op = made;
  const std::vector<Variable> operands = std::exchange(inputs, {});
  return user_function(std::move(made), operands, name);
}

PythonOperator::PythonOperator(nb::object self, UserPart& part)
    : UserOperator(part.op_name, part.inputs.size(),
                   part.style == CallStyle::slots ? "" : "UserFunction"),  // as CNTK prints them
      self_(std::move(self)),
      style_(part.style),
      part_(part) {
  lock = lock_of_python();
  lends = style_ != CallStyle::arrays;
  tells_sizes = style_ != CallStyle::slots;  // results come back as arrays of their own
  if (style_ == CallStyle::slots) {
    reads_x = flags(self_, "reads_inputs", part.inputs.size());
    reads_y = flags(self_, "reads_outputs", 1);
    differentiable = nb::cast<bool>(nb::getattr(self_, "differentiable", nb::borrow(Py_True)));
  }
}

PythonOperator::~PythonOperator() {
  if (!Py_IsInitialized()) {
    self_.release(), retained_.release();
    return;
  }
  Locked lock;
  self_.reset(), retained_.reset();
}

// The object may outlive its node, and become another one. In a recurrence what it read has gone with it.
void PythonOperator::lose_node(std::span<const Variable> read) {
  if (!Py_IsInitialized()) return;
  Locked lock;
  if (Py_REFCNT(self_.ptr()) == 1) return;
  for (const Variable& v : read) {
    if (v)
      part_.inputs.push_back(v);
    else
      part_.lost = true;
  }
}

nb::handle PythonOperator::retained() const {
  if (!retained_.is_valid()) retained_ = nb::cast(Retained{weak_from_this()});
  return retained_;
}

std::vector<UserResult> PythonOperator::infer(std::span<const Type> in) {
  need_python(name());
  Locked lock;
  std::vector<Variable> mine = operands(), sized;
  for (size_t i = 0; i < in.size() && i < mine.size(); ++i) {
    sized.push_back(mine[i].type() == in[i] ? mine[i] : placeholder(mine[i].name(), in[i]));
  }
  const Shown shown{self_.ptr(), &sized, being_inferred};
  being_inferred = &shown;
  struct Restore {
    ~Restore() { being_inferred = being_inferred->outer; }
  } restore;
  try {
    std::vector<Variable> outs = as_variables(self_.attr("infer_outputs")(), "the results of infer_outputs");
    if (outs.empty())
      throw value_error(name() + ".infer_outputs returned no outputs")
          .remedy("return a list of output_variable(shape, dtype, dynamic_axes)");
    std::vector<UserResult> results;
    for (const Variable& v : outs) {
      UserResult& r = results.emplace_back(v.type(), v.name(), !v.is_placeholder() || v.needs_gradient());
      r.type.storage = Storage::dense;
    }
    close(results, in);
    if (style_ == CallStyle::slots && reads_y.size() != results.size())
      reads_y = flags(self_, "reads_outputs", results.size());
    return results;
  } catch (nb::python_error& e) {
    raise_from_user(e, at_node(runtime_error(cat(name(), ".infer_outputs: ", exception_text(e)))).what());
  }
}

// The object knows its name.
Function PythonOperator::clone(const std::vector<Variable>& in, const std::string&) const {
  need_python(name());
  Locked lock;
  try {
    return as_function(self_.attr("clone")(nb::list(wrap_all(in))), "the clone of a user function");
  } catch (nb::python_error& e) {
    raise_from_user(e, cat(name(), ".clone: ", exception_text(e)));
  }
}

Dictionary PythonOperator::saved() const {
  need_python(name());
  Locked lock;
  try {
    return record_of(self_);
  } catch (nb::python_error& e) {
    raise_from_user(e, cat(name(), ".serialize: ", exception_text(e)));
  }
}

nb::dict user_attributes(const Function& f) {
  const std::shared_ptr<PythonOperator> op = python_operator(f);
  nb::object given = op ? nb::getattr(op->self(), "_attributes", nb::none()) : nb::none();
  return given.is_none() ? nb::dict() : nb::cast<nb::dict>(given);
}

void bind_user_function(nb::module_& m) {
  nb::class_<Retained>(m, "OutputsToRetain", "The outputs of a user function that a backward may ask about.")
      .def("__len__", [](const Retained& r) { return r.all().size(); })
      .def("__iter__", [](const Retained& r) { return nb::iter(r.all()); })
      .def(
          "__getitem__", [](const Retained& r, int64_t i) { return nb::object(r.all()[i]); },
          nb::arg("index"))
      .def(
          "__contains__",
          [](const Retained& r, nb::handle v) { return PySequence_Contains(r.all().ptr(), v.ptr()) == 1; },
          nb::arg("variable"))
      .def("__repr__", [](const Retained& r) { return nb::repr(r.all()); });
  m.def(
      "become_user_function",
      [](nb::handle self, nb::object inputs, const std::string& style, const std::string& name,
         const std::string& op_name) {
        CallSite here;
        auto part = std::make_shared<UserPart>();
        DType dtype = DType::float32;
        for (nb::handle h : inputs)
          if (const Variable* v = variable_in(h); v && v->dtype() != DType::unknown) {
            dtype = v->dtype();
            break;
          }
        for (nb::handle h : inputs) part->inputs.push_back(as_operand(h, dtype));
        part->self = self.ptr();
        part->style = style_named(style);
        part->name = name;
        part->op_name = op_name;
        part->made_at = Origin::current();
        new (nb::inst_ptr<FunctionBox>(self)) FunctionBox{Function(), {}, std::move(part)};
        nb::inst_mark_ready(self);
      },
      nb::arg("self"), nb::arg("inputs"), nb::arg("style"), nb::arg("name"), nb::arg("op_name"),
      "Makes an operator of an object whose class is a UserFunction.");
  m.def(
      "user_inputs",
      [](nb::handle self) {
        for (const Shown* s = being_inferred; s; s = s->outer)
          if (s->self == self.ptr()) return wrap_all(*s->inputs);
        return wrap_all(nb::inst_ptr<FunctionBox>(self)->function().inputs());
      },
      nb::arg("self"),
      "The operands of a user function; while infer_outputs runs, with the sizes that are asked about.");
  m.def(
      "output_variable",
      [](nb::object shape, nb::object dtype, nb::object dynamic_axes, bool needs_gradient,
         const std::string& name) {
        CallSite here;
        const Type type{as_dtype(dtype), as_shape(shape), as_axes(dynamic_axes), Storage::dense, 0};
        return wrap(placeholder(name, type, needs_gradient));
      },
      nb::arg("shape").none(), nb::arg("dtype").none(), nb::arg("dynamic_axes").none(),
      nb::arg("needs_gradient"), nb::arg("name"));
  m.def(
      "set_user_function_reader",
      [](nb::object f) {
        reader() = std::move(f);
        set_user_function_reader(&read);
      },
      nb::arg("reader"), "reader(saved, inputs, name) makes functions of files, or gives None.");
  m.def(
      "user_object",
      [](nb::handle f) {
        const std::shared_ptr<PythonOperator> op = python_operator(as_function(f));
        return op ? nb::borrow(op->self()) : nb::none();
      },
      nb::arg("function"), "The Python object behind a user function; None of others.");
  m.def(
      "user_record",
      [](nb::handle f) {
        const std::shared_ptr<PythonOperator> op = python_operator(as_function(f));
        if (!op) throw value_error("the function is not a user function").node(as_function(f).text());
        return to_python(op->saved());
      },
      nb::arg("function"), "What a file says of a user function.");
}

}  // namespace cantik::python
