// Sessions: models fed as their input comes, from NumPy arrays to NumPy arrays.
#include <atomic>

#include <cantik/session.h>

#include "binding/arguments.h"
#include "binding/feeds.h"
#include "binding/numpy.h"
#include "binding/sequences.h"
#include "binding/sparse.h"

namespace cantik::python {
namespace {

// How the data were given decides how results are shown.
// without an axis for the streams; with one; a list with an item for each
enum class Form { bare, stacked, list };

struct SessionBox {
  explicit SessionBox(Session s) : session(std::move(s)), values(session.inputs().size()) {}
  Session session;
  std::vector<Value> values;  // of each input
  std::atomic<bool> busy{false};
};

// One thread at a time: the states are those of one place in the data.
class InUse {
 public:
  explicit InUse(SessionBox& s) : s_(s) {
    if (s.busy.exchange(true))
      throw runtime_error("the session is in use by another thread")
          .remedy("give each thread a session of its own; copy() takes the states along");
  }
  ~InUse() { s_.busy = false; }

 private:
  SessionBox& s_;
};

std::vector<int64_t> stream_list(nb::handle h) {
  if (h.is_none()) return {};
  if (PyLong_Check(h.ptr())) return {whole_in(h, "a stream")};
  if (!PySequence_Check(h.ptr()) || PyUnicode_Check(h.ptr()))
    throw not_of_kind("streams", "a whole number or a list of them", h);
  std::vector<int64_t> list;
  for (nb::handle item : nb::borrow(h)) list.push_back(whole_in(item, "a stream"));
  if (list.empty())
    throw value_error("the list of streams is empty").remedy("leave the list out to feed all streams");
  return list;
}

Error wrong_step(const Variable& v, const Shape& s) {
  std::string sample = v.shape().text(), inner = sample.substr(1, sample.size() - 2);
  return about(value_error("a step of " + v.text() + " has the shape " + sample +
                           " for each stream, but the data have the shape " + s.text()),
               v)
      .remedy("give an array of the shape [streams" + (inner.empty() ? "]" : ", " + inner + "]") + ", or " +
              sample + " for a single stream");
}

// A step of each stream: [streams, shape...], or [shape...] of the only one.
Value step_of(SessionBox& box, const Variable& v, nb::handle data, std::vector<nb::object>& kept,
              Form& form) {
  if (v.axes().is_known() && v.axes().empty()) return feed_of(v, data, &kept);
  Tensor t;
  if (const ValueBox* value = value_in(data)) {
    t = value->get().data;
    if (v.axes().has_sequence() && value->get().layout && !value->get().layout->is_batch())
      return Value(t, value->get().layout);
  } else if (const Tensor* given = tensor_in(data)) {
    t = *given;
  } else if (is_sparse_matrix(data)) {
    t = tensor_of_csr(data, v.dtype());
    if (v.type().storage == Storage::dense) t = t.to_dense();
  } else {
    nb::object array = is_array(data) ? nb::borrow(data) : array_of(data);
    nb::object keep;
    t = tensor_of_array(array, v.dtype(), false, &keep);
    kept.push_back(std::move(keep));
  }
  int lead = t.shape().rank() - v.shape().rank();
  if (lead < 0 || lead > 1 || !fits_sample(v, t.shape())) throw wrong_step(v, t.shape());
  if (lead == 0) {
    form = Form::bare;
    t = t.reshape(Shape{1} + t.shape());
  }
  int64_t n = t.shape()[0];
  return Value(std::move(t), v.axes().has_sequence() ? box.session.one_step(n) : Layout::batch(n));
}

// Some steps of each stream, as eval takes sequences; None where nothing has come.
Value value_of_steps(const Variable& v, nb::handle data, std::vector<nb::object>& kept, Form& form) {
  if (!v.axes().has_sequence()) return feed_of(v, data, &kept);
  form = Form::list;
  if (is_array(data)) {
    int lead = rank_of_array(data) - v.shape().rank();
    form = lead == 2 ? Form::stacked : Form::bare;
    if (lead == 0)
      throw wrong_step(v, shape_of_array(data))
          .remedy("one step is for step(x); here the first axis counts the steps");
  }
  if (!PyList_Check(data.ptr()) && !PyTuple_Check(data.ptr())) return feed_of(v, data, &kept);
  nb::list items;
  for (nb::handle item : nb::borrow(data)) {
    if (item.is_none())
      items.append(array_of_tensor(Tensor(v.dtype(), Shape{0} + v.shape())));
    else
      items.append(item);
  }
  return feed_of(v, items, &kept);
}

nb::object shown_result(const Value& v, Form form) {
  bool sequences = v.layout && !v.layout->is_batch();
  if (!sequences && form != Form::bare) return result_of(v);
  if (v.data.is_sparse() || !v.layout) return result_of(v);
  const Shape& s = v.data.shape();
  if (!sequences) return array_of_tensor(s[0] == 1 ? v.data.reshape(s.sub(1, s.rank())) : v.data);
  if (form == Form::list || !v.layout->is_even()) return sequences_of(v);
  if (form == Form::bare) return array_of_tensor(v.data);
  int64_t n = v.layout->sequences();
  return array_of_tensor(v.data.reshape(Shape{n, n ? s[0] / n : 0} + s.sub(1, s.rank())));
}

nb::object shown_step(const Value& v, Form form) {
  if (v.data.is_sparse() || !v.layout) return result_of(v);
  const Shape& s = v.data.shape();
  return array_of_tensor(form == Form::bare && s[0] == 1 ? v.data.reshape(s.sub(1, s.rank())) : v.data);
}

template <class ValueOf, class Show>
nb::object run_session(SessionBox& box, nb::handle given, nb::handle streams, const ValueOf& value_of,
                       const Show& show) {
  InUse lock(box);
  const std::vector<Variable>& inputs = box.session.inputs();
  std::vector<nb::object> kept;
  Form form = Form::stacked;
  FeedMatcher matcher(box.session.model(), inputs);
  match(matcher, given, [&](size_t place, const Variable& v, nb::handle data) {
    Form own = Form::stacked;
    box.values[place] = value_of(v, data, kept, own);
    if (v.axes().has_sequence()) form = own;
  });
  const std::vector<int64_t> of = stream_list(streams);
  std::vector<Value> outputs;
  {
    Unlocked unlock;
    outputs = box.session.run_in_order(box.values, of);
  }
  nb::object result;
  if (outputs.size() == 1) {
    result = show(outputs[0], form);
  } else {
    nb::dict d;
    for (size_t i = 0; i < outputs.size(); ++i) d[wrap(box.session.outputs()[i])] = show(outputs[i], form);
    result = std::move(d);
  }
  for (Value& v : box.values) v = Value();  // what was lent goes back
  return result;
}

}  // namespace

void bind_streams(nb::module_& m) {
  nb::class_<SessionBox>(m, "Session",
                         "A model fed as its input comes, a step or a few at a time. The results are those "
                         "of whole sequences, bit for bit.\n\n"
                         "Made by ``model.session(streams=1)``. Each stream is a sequence of its own. Models "
                         "that look ahead or at whole sequences are refused.\n\n"
                         "Example:\n    >>> x = C.sequence.input_variable(1)\n    >>> s = "
                         "C.layers.Recurrence(lambda h, x: h + x)(x).session()\n"
                         "    >>> s.step([1.]), s.step([2.])\n    (array([1.], dtype=float32), array([3.], "
                         "dtype=float32))\n    >>> s(np.array([[1.], [1.]])).tolist()\n    [[4.0], [5.0]]\n")
      .def(
          "__call__",
          [](SessionBox& box, nb::handle x, nb::handle streams) {
            return run_session(
                box, x, streams,
                [&](const Variable& v, nb::handle data, std::vector<nb::object>& kept, Form& form) {
                  return value_of_steps(v, data, kept, form);
                },
                shown_result);
          },
          nb::arg("x"), nb::arg("streams") = nb::none(),
          "The next steps of the streams.\n\nArgs:\n    x: an array [steps, shape...] for a single stream; "
          "for several a list with one for each, None where nothing has come,\n"
          "     or an array [streams, steps, shape...]; of a model with several inputs a dictionary\n    "
          "streams: which streams the data belong to, all by default\n\n"
          "Returns:\n    the outputs of these steps, in the form of the data; of several outputs a "
          "dictionary")
      .def(
          "step",
          [](SessionBox& box, nb::handle x, nb::handle streams) {
            return run_session(
                box, x, streams,
                [&](const Variable& v, nb::handle data, std::vector<nb::object>& kept, Form& form) {
                  return step_of(box, v, data, kept, form);
                },
                shown_step);
          },
          nb::arg("x"), nb::arg("streams") = nb::none(),
          "One step of each stream.\n\nArgs:\n    x: an array [streams, shape...], or [shape...] for a "
          "single stream; of a model with several inputs a dictionary\n"
          "    streams: which streams the rows belong to, all by default\n\nReturns:\n    an array in the "
          "same form; of several outputs a dictionary")
      .def(
          "reset",
          [](SessionBox& box, nb::handle stream) {
            InUse lock(box);
            if (stream.is_none()) return box.session.reset();
            for (int64_t s : stream_list(stream)) box.session.reset(s);
          },
          nb::arg("stream") = nb::none(),
          "Streams begin anew.\n\nArgs:\n    stream: one, or a list of them; all by default")
      .def(
          "select",
          [](SessionBox& box, const std::vector<std::optional<int64_t>>& streams) {
            InUse lock(box);
            std::vector<int64_t> from;
            for (const auto& s : streams) {
              if (s && *s < 0)
                throw value_error("there is no stream " + std::to_string(*s))
                    .remedy("give stream numbers, or None for a stream that begins");
              from.push_back(s.value_or(-1));
            }
            box.session.select(from);
          },
          nb::arg("streams"),
          "Stream i goes on where stream streams[i] was, and there are as many as the list has: a search "
          "keeps its best hypotheses that way.\n\n"
          "Args:\n    streams: numbers of streams, any of them several times; None: one that begins")
      .def(
          "copy",
          [](SessionBox& box) {
            InUse lock(box);
            return new SessionBox(Session(box.session));
          },
          nb::rv_policy::take_ownership, "Another session that stands where this one does.")
      .def_prop_ro(
          "streams", [](SessionBox& box) { return box.session.streams(); }, "How many streams there are.")
      .def("__len__", [](SessionBox& box) { return box.session.streams(); });

  nb::borrow<nb::class_<FunctionBox>>(m.attr("Function"))
      .def(
          "session",
          [](FunctionBox& box, int64_t streams, nb::handle outputs) {
            return new SessionBox(
                Session(box.function(), streams,
                        outputs.is_none() ? std::vector<Variable>() : as_variables(outputs, "outputs")));
          },
          nb::arg("streams") = 1, nb::arg("outputs") = nb::none(), nb::rv_policy::take_ownership,
          "A session: the model fed step by step, with what its recurrences carry kept in "
          "between.\n\nArgs:\n    streams: how many sequences it follows side by side\n"
          "    outputs: the outputs wanted, all by default\n\nReturns:\n    a Session");
}

}  // namespace cantik::python
