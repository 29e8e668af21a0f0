// Training loops: arrays in memory, sources written in Python, sessions.
#include <nanobind/stl/function.h>

#include <cantik/rate_finder.h>
#include <cantik/train.h>

#include "binding/callback.h"
#include "binding/dictionary.h"
#include "binding/feeds.h"
#include "binding/options.h"
#include "binding/training.h"
#include "binding/user_code.h"

namespace cantik::python {
namespace {

// A source of minibatches with CNTK's methods, in Python. streams: pairs of an input and the source's stream
// for it.
class PythonSource final : public FeedSource {
 public:
  PythonSource(nb::object source, nb::list streams) : source_(std::move(source)) {
    for (nb::handle pair : streams) {
      nb::tuple t = nb::cast<nb::tuple>(nb::borrow(pair));
      streams_.emplace_back(as_variable(t[0], "an input of the model"), nb::object(t[1]));
    }
    next_ = source_.attr(nb::hasattr(source_, "_next_of_loop") ? "_next_of_loop" : "next_minibatch");
    expect_ = nb::getattr(source_, "_expect", nb::none());
    named_ = nb::getattr(source_, "_wrapped", source_);
    expects_ = !expect_.is_none();
    device_ = nb::cast(Device::cpu());
  }
  ~PythonSource() override {
    Locked lock;
    streams_.clear();
    for (nb::object* o : {&source_, &next_, &expect_, &named_, &device_}) o->reset();
  }
  std::optional<FeedMinibatch> next(int64_t samples) override {
    Locked lock;
    nb::object found = in_user_code(method_name(named_, "next_minibatch"), [&] {
      return nb::object(next_(samples, share().workers, share().rank, device_));
    });
    if (found.is_none()) return {};
    if (!PyDict_Check(found.ptr())) throw wrong("it returned " + class_name(found));
    nb::dict batch = nb::borrow<nb::dict>(found);
    if (batch.size() == 0) return {};
    FeedMinibatch m;
    for (const auto& [input, stream] : streams_) {
      nb::object data = of_stream(batch, stream);
      if (nb::hasattr(data, "end_of_sweep")) {
        m.sweep_end |= nb::cast<bool>(data.attr("end_of_sweep"));
        data = data.attr("data");
      }
      m.feeds.emplace_back(input, feed_of(input, data));
    }
    return m;
  }
  bool is_infinite() const override {
    Locked lock;
    if (nb::hasattr(source_, "_repeats")) return nb::cast<bool>(source_.attr("_repeats"));
    if (!nb::hasattr(source_, "is_infinite")) return false;
    return in_user_code(method_name(named_, "is_infinite"),
                        [&] { return nb::cast<bool>(source_.attr("is_infinite")()); });
  }
  void expect(int64_t samples) override {
    if (!expects_) return;
    Locked lock;
    expect_(samples, share().workers, share().rank, device_);
  }
  Dictionary state() const override {
    Locked lock;
    return in_user_code(method_name(named_, "get_checkpoint_state"),
                        [&] { return dictionary_from(source_.attr("get_checkpoint_state")()); });
  }
  void restore(const Dictionary& state) override {
    Locked lock;
    in_user_code(method_name(named_, "restore_from_checkpoint"),
                 [&] { source_.attr("restore_from_checkpoint")(to_python(state)); });
  }
  void restore_from_workers(std::span<const Dictionary> states) override {
    Locked lock;
    nb::object restore = nb::getattr(source_, "restore_from_workers", nb::none());
    if (restore.is_none()) return this->restore(states.front());
    in_user_code(method_name(named_, "restore_from_workers"), [&] {
      nb::list all;
      for (const Dictionary& state : states) all.append(to_python(state));
      restore(all, share().workers, share().rank);
    });
  }

 private:
  Error wrong(const std::string& what) const {
    return value_error(method_name(named_, "next_minibatch") + ": " + what)
        .remedy(
            "return a dictionary from the source's stream informations to MinibatchData, an empty one at the "
            "end");
  }
  // By its information or by its name.
  nb::object of_stream(const nb::dict& batch, const nb::object& stream) const {
    if (batch.contains(stream)) return batch[stream];
    nb::object name = nb::getattr(stream, "name", nb::none());
    if (!batch.contains(name))
      throw wrong(std::string("the minibatch has no stream ") + nb::str(stream).c_str());
    return batch[name];
  }

  nb::object source_, next_, expect_, named_, device_;  // named_: whose methods messages name
  std::vector<std::pair<Variable, nb::object>> streams_;
  bool expects_ = false;
};

Feeds data_of_pairs(nb::handle pairs) {
  Feeds data;
  for (nb::handle pair : nb::borrow(pairs)) {
    nb::tuple item = nb::cast<nb::tuple>(nb::borrow(pair));
    Variable v = as_variable(nb::object(item[0]), "an input of the model");
    data.emplace_back(v, feed_of(v, nb::object(item[1])));
  }
  return data;
}

// ("arrays", [(input, data), ...]) or ("source", source, [(input, stream), ...]), or the same as "sweeps",
// whose minibatches end with their sweep. After arrays may stand how many sweeps they last (None: no end),
// and the seed of their orders (None: in their order).
std::shared_ptr<FeedSource> feed_source_of(nb::handle h, bool once = false) {
  nb::tuple t = nb::cast<nb::tuple>(nb::borrow(h));
  if (const auto kind = nb::cast<std::string>(t[0]); kind == "source" || kind == "sweeps") {
    // A source in C++ keeps out of Python's way, unless its class has a next_minibatch of its own.
    nb::object source = t[1], native = nb::getattr(source, "native_source", nb::none());
    if (native.is_none()) return std::make_shared<PythonSource>(source, nb::cast<nb::list>(nb::object(t[2])));
    InputStreams inputs;
    for (nb::handle pair : nb::object(t[2])) {
      nb::tuple item = nb::cast<nb::tuple>(nb::borrow(pair));
      inputs.emplace_back(as_variable(nb::object(item[0]), "an input of the model"),
                          nb::cast<std::string>(nb::object(item[1]).attr("name")));
    }
    return feed_source(nb::cast<SourceBox>(native).source, std::move(inputs), kind == "sweeps");
  }
  auto arrays = std::make_shared<ArraySource>(data_of_pairs(nb::object(t[1])));
  if (once)
    arrays->end_after(1);
  else if (nb::len(t) > 2 && !nb::object(t[2]).is_none())
    arrays->end_after(nb::cast<int64_t>(nb::object(t[2])));
  if (nb::len(t) > 3 && !nb::object(t[3]).is_none()) arrays->shuffle(nb::cast<uint64_t>(nb::object(t[3])));
  return arrays;
}

}  // namespace

// Values of options that trainings have, in dictionaries of Python.
template <>
struct OptionIn<int> {
  static int of(nb::handle h, const std::string& name) { return static_cast<int>(whole_in(h, name)); }
};
template <>
struct OptionIn<Frequency> {  // (count, unit)
  static Frequency of(nb::handle h, const std::string&) {
    nb::tuple t = nb::cast<nb::tuple>(nb::borrow(h));
    return {nb::cast<int64_t>(t[0]), static_cast<DataUnit>(nb::cast<int>(t[1]))};
  }
};
template <>
struct OptionIn<std::shared_ptr<FeedSource>> {
  static std::shared_ptr<FeedSource> of(nb::handle h, const std::string&) { return feed_source_of(h); }
};
template <>
struct OptionIn<std::vector<CallbackPtr>> {
  static std::vector<CallbackPtr> of(nb::handle h, const std::string&) { return as_callbacks(h); }
};
template <>
struct OptionIn<std::vector<ProgressWriterPtr>> {
  static std::vector<ProgressWriterPtr> of(nb::handle h, const std::string&) { return as_writers(h); }
};
template <>
struct OptionIn<Variable> {
  static Variable of(nb::handle h, const std::string& name) { return as_variable(h, name.c_str()); }
};
template <>
struct OptionIn<Device> {
  static Device of(nb::handle h, const std::string&) { return nb::cast<Device>(h); }
};
template <>
struct OptionIn<decltype(CrossValidationConfig::callback)> {
  static decltype(CrossValidationConfig::callback) of(nb::handle h, const std::string&) {
    if (h.is_none()) return {};
    auto kept = std::make_shared<nb::object>(nb::borrow(h));
    return [kept](int64_t index, double average, int64_t samples, int64_t minibatches) {
      Locked lock;
      return nb::cast<bool>((*kept)(index, average, samples, minibatches));
    };
  }
};
template <>
struct OptionIn<CheckpointConfig> {
  static CheckpointConfig of(nb::handle h, const std::string&) { return options_in<CheckpointConfig>(h); }
};
template <>
struct OptionIn<TestConfig> {
  static TestConfig of(nb::handle h, const std::string&) { return options_in<TestConfig>(h); }
};
template <>
struct OptionIn<CrossValidationConfig> {
  static CrossValidationConfig of(nb::handle h, const std::string&) {
    return options_in<CrossValidationConfig>(h);
  }
};

namespace {

// A session, with the trainer as Python knows it.
struct TrainingSessionBox {
  nb::object trainer;
  std::vector<CallbackPtr> callbacks;
  std::unique_ptr<TrainingSession> session;

  TrainingSessionBox(nb::object t, std::shared_ptr<FeedSource> source, SessionOptions options)
      : trainer(std::move(t)), callbacks(options.callbacks) {
    session = std::make_unique<TrainingSession>(trainer_in(trainer), std::move(source), std::move(options));
  }
  TrainingSessionBox(nb::object t, nb::handle source, const nb::dict& options)
      : TrainingSessionBox(std::move(t), feed_source_of(source), options_in<SessionOptions>(options)) {}
};

// A source, and what a session on it is asked for.
struct TrainingPlanBox {
  std::shared_ptr<FeedSource> source;
  TrainingPlan plan;

  TrainingPlanBox(nb::handle of, const nb::dict& config)
      : source(feed_source_of(of)), plan(training_plan(*source, options_in<TrainConfig>(config))) {}
};

// While it lives, callbacks written in Python are given this session.
class GivenSession {
 public:
  GivenSession(const std::vector<CallbackPtr>& callbacks, nb::handle session) {
    for (const CallbackPtr& c : callbacks)
      if (auto* of = dynamic_cast<SessionOfCallback*>(c.get())) {
        before_.emplace_back(of, of->session());
        of->set_session(session);
      }
  }
  ~GivenSession() {
    for (auto [of, session] : before_) of->set_session(session);
  }
  GivenSession(const GivenSession&) = delete;

 private:
  std::vector<std::pair<SessionOfCallback*, nb::handle>> before_;
};

nb::tuple summary_of(const std::vector<Summary>& list) {
  nb::list all;
  for (const Summary& s : list) all.append(nb::make_tuple(s.loss, s.metric, s.samples));
  return nb::tuple(all);
}

nb::object rate_curve(nb::handle trainer, nb::handle source, nb::dict given) {
  const auto options = options_in<RateFinderOptions>(given);
  std::shared_ptr<Trainer> t = trainer_in(trainer);
  std::shared_ptr<FeedSource> s = feed_source_of(source);
  RateCurve curve;
  {
    Unlocked unlock;
    curve = find_learning_rate(*t, *s, options);
  }
  return nb::make_tuple(curve.rates, curve.losses, curve.suggestion);
}

}  // namespace

void bind_session(nb::module_& m) {
  nb::class_<TrainingSessionBox>(m, "TrainingSession", "A training loop over a source of minibatches.")
      .def(nb::init<nb::object, nb::handle, nb::dict>(), nb::arg("trainer"), nb::arg("source"),
           nb::arg("options"))
      .def(
          "train",
          [](nb::pointer_and_handle<TrainingSessionBox> self, const std::optional<Device>& device) {
            const GivenSession given(self.p->callbacks, self.h);
            Unlocked unlock;
            self.p->session->train(device);
          },
          nb::arg("device") = nb::none())
      .def_prop_ro(
          "trainer", [](const TrainingSessionBox& s) { return s.trainer; }, "The trainer.")
      .def(
          "end", [](TrainingSessionBox& s) { s.session->end(); },
          "The training ends after this minibatch, as if its data had ended.")
      .def(
          "interrupt", [](TrainingSessionBox& s) { s.session->interrupt(); },
          "The training ends after this minibatch, with a checkpoint where one is configured, from which the "
          "next "
          "one goes on.")
      .def_prop_ro(
          "is_ended", [](const TrainingSessionBox& s) { return s.session->is_ended(); },
          "Whether `end` ended the training.")
      .def_prop_ro(
          "is_interrupted", [](const TrainingSessionBox& s) { return s.session->is_interrupted(); },
          "Whether `interrupt` ended the training.")
      .def(
          "write",
          [](TrainingSessionBox& s, const std::string& name, double value) { s.session->write(name, value); },
          nb::arg("name"), nb::arg("value"), "Tells the progress writers a number by its name.")
      .def(
          "restore_from_checkpoint",
          [](TrainingSessionBox& s, const std::string& path) { s.session->restore_from_checkpoint(path); },
          nb::arg("filename"));
  nb::class_<TrainingPlanBox>(m, "TrainingPlan", "How long a training on a source goes on.")
      .def(nb::init<nb::handle, nb::dict>(), nb::arg("source"), nb::arg("config"))
      .def_prop_ro(
          "updates_every", [](const TrainingPlanBox& p) { return p.plan.updates_every; },
          "Minibatches of a window that is measured.")
      .def(
          "session",
          [](const TrainingPlanBox& p, nb::object trainer) {
            return new TrainingSessionBox(std::move(trainer), p.source, p.plan.options);
          },
          nb::arg("trainer"), "The session of a trainer that trains as planned.");
  nb::class_<TrainingCollector, ProgressWriter>(m, "TrainingCollector", "Keeps what a training measures.")
      .def(nb::init<int64_t>(), nb::arg("every"))
      .def_prop_ro("updates", [](const TrainingCollector& c) { return summary_of(c.summary.updates); })
      .def_prop_ro("epochs", [](const TrainingCollector& c) { return summary_of(c.summary.epoch_summaries); })
      .def_prop_ro("test", [](const TrainingCollector& c) -> nb::object {
        if (!c.summary.test) return nb::none();
        return nb::make_tuple(c.summary.test->metric, c.summary.test->samples);
      });
  m.def("find_learning_rate", &rate_curve, nb::arg("trainer"), nb::arg("source"), nb::arg("options"));
  m.def(
      "test_over",
      [](nb::handle metric, nb::handle source, nb::dict given, bool once) {
        std::shared_ptr<FeedSource> from = feed_source_of(source, once);
        Variable v = as_variable(metric, "the metric");
        const auto options = options_in<TestOptions>(given);
        Summary s;
        {
          Unlocked unlock;
          s = test(v, *from, options);
        }
        return nb::make_tuple(s.metric, s.samples);
      },
      nb::arg("metric"), nb::arg("source"), nb::arg("options"), nb::arg("once"),
      "The average of the metric over a source up to its end, or over arrays once.");
}

}  // namespace cantik::python
