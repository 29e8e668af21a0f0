// Progress writers: the printer, the bar, and those that users derive in Python.
#include <nanobind/stl/function.h>
#include <nanobind/trampoline.h>

#include <cantik/progress.h>

#include "binding/options.h"
#include "binding/training.h"

namespace cantik::python {
namespace {

// Python's own standard output, which notebooks and tests redirect.
TextSink to_python_stdout() {
  return [](std::string_view line) {
    Locked lock;
    nb::module_::import_("builtins")
        .attr("print")(nb::str(line.data(), line.size()), nb::arg("flush") = true);
  };
}

// Python's standard error, text as it is; nothing, where that is no terminal and no notebook.
TextSink to_python_stderr() {
  nb::object stream = nb::module_::import_("sys").attr("stderr");
  bool live = nb::hasattr(stream, "isatty") && nb::cast<bool>(stream.attr("isatty")());
  live |= nb::module_::import_("sys").attr("modules").attr("get")("ipykernel").is_valid() &&
          !nb::module_::import_("sys").attr("modules").attr("get")("ipykernel").is_none();
  return [live](std::string_view text) {
    if (!live) return;
    Locked lock;
    nb::object err = nb::module_::import_("sys").attr("stderr");
    err.attr("write")(nb::str(text.data(), text.size()));
    err.attr("flush")();
  };
}

// A writer of this kind, with the calls as Python has them: numbers in place of structs.
template <class Writer>
struct Spelled : Writer {
  using Writer::Writer;
  void on_write_training_update(const ProgressWindow& w) override {
    on_write_training_update(w.samples, w.updates, w.loss, w.metric);
  }
  void on_write_test_update(const ProgressWindow& w) override {
    on_write_test_update(w.samples, w.updates, w.metric);
  }
  void on_write_distributed_sync_update(const ProgressWindow& w) override {
    on_write_distributed_sync_update(w.samples, w.updates, w.metric);
  }
  void on_write_training_summary(const ProgressSummary& s) override {
    on_write_training_summary(s.samples, s.updates, s.summaries, s.loss, s.metric, s.elapsed_milliseconds);
  }
  void on_write_test_summary(const ProgressSummary& s) override {
    on_write_test_summary(s.samples, s.updates, s.summaries, s.metric, s.elapsed_milliseconds);
  }

  virtual void on_write_training_update(CountRange samples, CountRange updates, SumRange loss,
                                        SumRange metric) {
    Writer::on_write_training_update({samples, updates, loss, metric});
  }
  virtual void on_write_test_update(CountRange samples, CountRange updates, SumRange metric) {
    Writer::on_write_test_update({samples, updates, {}, metric});
  }
  virtual void on_write_distributed_sync_update(CountRange samples, CountRange updates, SumRange metric) {
    Writer::on_write_distributed_sync_update({samples, updates, {}, metric});
  }
  virtual void on_write_training_summary(int64_t samples, int64_t updates, int64_t summaries, double loss,
                                         double metric, int64_t milliseconds) {
    Writer::on_write_training_summary({samples, updates, summaries, loss, metric, milliseconds});
  }
  virtual void on_write_test_summary(int64_t samples, int64_t updates, int64_t summaries, double metric,
                                     int64_t milliseconds) {
    Writer::on_write_test_summary({samples, updates, summaries, 0, metric, milliseconds});
  }
};

// A writer of this kind whose methods may be overridden in Python.
template <class Writer>
struct Overridable : Spelled<Writer> {
  NB_TRAMPOLINE(Spelled<Writer>, 7);
  using Spelled<Writer>::on_write_training_update;
  using Spelled<Writer>::on_write_test_update;
  using Spelled<Writer>::on_write_distributed_sync_update;
  using Spelled<Writer>::on_write_training_summary;
  using Spelled<Writer>::on_write_test_summary;
  void write(const std::string& key, double value) override { NB_OVERRIDE(write, key, value); }
  void on_write_training_update(CountRange samples, CountRange updates, SumRange loss,
                                SumRange metric) override {
    NB_OVERRIDE(on_write_training_update, samples, updates, loss, metric);
  }
  void on_training_update_end() override { NB_OVERRIDE(on_training_update_end); }
  void on_write_test_update(CountRange samples, CountRange updates, SumRange metric) override {
    NB_OVERRIDE(on_write_test_update, samples, updates, metric);
  }
  void on_write_distributed_sync_update(CountRange samples, CountRange updates, SumRange metric) override {
    NB_OVERRIDE(on_write_distributed_sync_update, samples, updates, metric);
  }
  void on_write_training_summary(int64_t samples, int64_t updates, int64_t summaries, double loss,
                                 double metric, int64_t milliseconds) override {
    NB_OVERRIDE(on_write_training_summary, samples, updates, summaries, loss, metric, milliseconds);
  }
  void on_write_test_summary(int64_t samples, int64_t updates, int64_t summaries, double metric,
                             int64_t milliseconds) override {
    NB_OVERRIDE(on_write_test_summary, samples, updates, summaries, metric, milliseconds);
  }
};

nb::tuple as_tuple(const ProgressPrinter::Summary& s) { return nb::make_tuple(s.loss, s.metric, s.samples); }

void bind_printer(nb::module_& m) {
  nb::class_<ProgressPrinter, ProgressWriter, Overridable<ProgressPrinter>>(m, "ProgressPrinter",
                                                                            "Writes CNTK's log.")
      .def(
          "__init__",
          [](ProgressPrinter* self, nb::dict options) {
            new (self)
                Overridable<ProgressPrinter>(options_in<ProgressPrinterOptions>(options), to_python_stdout());
          },
          nb::arg("options"))
      .def(
          "log", [](ProgressPrinter& p, nb::handle message) { p.log(nb::str(message).c_str()); },
          nb::arg("message").none(), "Prints a line, or writes it to the log file.")
      .def(
          "end_progress_print",
          [](ProgressPrinter& p, std::optional<std::string> msg) { p.end_progress_print(msg.value_or("")); },
          nb::arg("msg").none() = "")
      .def("write", &ProgressPrinter::write, nb::arg("key"), nb::arg("value"))
      .def(
          "write",
          [](ProgressPrinter& p, const std::string& key, nb::object value) {
            p.log(key + ": " + nb::cast<std::string>(nb::str(value)));
          },
          nb::arg("key"), nb::arg("value"))
      .def("update", &ProgressPrinter::update, nb::arg("loss"), nb::arg("minibatch_size"),
           nb::arg("metric") = nb::none(), "For loops of one's own: the averages of a minibatch.")
      .def(
          "epoch_summary",
          [](ProgressPrinter& p, bool with_metric) -> nb::object {
            std::optional<ProgressPrinter::Summary> s = p.epoch_summary(with_metric);
            return s ? nb::object(as_tuple(*s)) : nb::none();
          },
          nb::arg("with_metric") = false)
      .def("avg_loss_since_start", &ProgressPrinter::avg_loss_since_start)
      .def("avg_metric_since_start", &ProgressPrinter::avg_metric_since_start)
      .def("avg_loss_since_last", &ProgressPrinter::avg_loss_since_last)
      .def("avg_metric_since_last", &ProgressPrinter::avg_metric_since_last)
      .def(
          "reset_start", [](ProgressPrinter& p) { return as_tuple(p.reset_start()); },
          "Begins the averages of an epoch anew. Returns those of before: of loss, metric, and the samples.")
      .def(
          "reset_last", [](ProgressPrinter& p) { return as_tuple(p.reset_last()); },
          "Begins the averages of a line anew. Returns those of before: of loss, metric, and the samples.")
      .def_prop_ro(
          "_options",
          [](const ProgressPrinter& p) {
            const ProgressPrinterOptions& o = p.options();
            nb::dict d;
            d["freq"] = o.freq.value_or(WriteFrequency::kNever);
            d["first"] = o.first;
            d["tag"] = o.tag.empty() ? "" : "[" + o.tag + "] ";
            d["log_to_file"] = o.log_to_file;
            d["gen_heartbeat"] = o.gen_heartbeat;
            d["num_epochs"] = o.num_epochs;
            d["test_freq"] = o.test_freq.value_or(WriteFrequency::kNever);
            d["metric_is_pct"] = o.metric_is_pct;
            d["metric_multiplier"] = o.metric_is_pct ? 100.0 : 1.0;
            const ProgressPrinter::Totals &start = p.since_start(), &last = p.since_last();
            d["loss_since_start"] = start.loss;
            d["metric_since_start"] = start.metric;
            d["samples_since_start"] = start.samples;
            d["updates_since_start"] = start.updates;
            d["loss_since_last"] = last.loss;
            d["metric_since_last"] = last.metric;
            d["samples_since_last"] = last.samples;
            d["total_updates"] = p.total_updates();
            d["epochs"] = p.epochs();
            return d;
          },
          "What it was made with, and sums of what it was told, as CNTK's printer has them in attributes.");
}

}  // namespace

std::vector<ProgressWriterPtr> as_writers(nb::handle h) {
  auto one = [](nb::handle item) {
    ProgressWriterPtr writer;
    if (!nb::try_cast(item, writer) || !writer)
      throw type_error("a progress writer was expected, not " + class_name(item));
    return writer;
  };
  if (h.is_none()) return {};
  if (PyList_Check(h.ptr()) || PyTuple_Check(h.ptr())) {
    std::vector<ProgressWriterPtr> list;
    for (nb::handle item : nb::borrow(h))
      if (!item.is_none()) list.push_back(one(item));
    return list;
  }
  return {one(h)};
}

void bind_progress(nb::module_& m) {
  nb::class_<ProgressWriter, Overridable<ProgressWriter>>(
      m, "ProgressWriter",
      "Counts, and calls its methods on_write_... when their time has come: derive from it to write "
      "anything.")
      .def(
          "__init__",
          [](ProgressWriter* self, int64_t training, int64_t first, int64_t test, int64_t test_first,
             int64_t sync, int64_t sync_first) {
            using F = WriteFrequency;
            new (self)
                Overridable<ProgressWriter>(F{training, first}, F{test, test_first}, F{sync, sync_first});
          },
          nb::arg("training_update_write_frequency") = WriteFrequency::kNever,
          nb::arg("training_first_updates_to_write") = 0,
          nb::arg("test_update_write_frequency") = WriteFrequency::kNever,
          nb::arg("test_first_updates_to_write") = 0,
          nb::arg("distributed_sync_update_write_frequency") = WriteFrequency::kNever,
          nb::arg("distributed_sync_first_updates_to_write") = 0)
      .def(
          "__disown__", [](nb::object self) { return self; },
          "CNTK's way to hand a writer over; here both sides own it.")
      .def("update_training", [](ProgressWriter& w, int64_t samples, double loss,
                                 std::optional<double> metric) { w.update_training(samples, loss, metric); })
      .def("update_test",
           [](ProgressWriter& w, int64_t samples, double metric) { w.update_test(samples, metric); })
      .def("write_training_summary", &ProgressWriter::write_training_summary)
      .def("write_test_summary", &ProgressWriter::write_test_summary)
      .def("write", &ProgressWriter::write, nb::arg("key"), nb::arg("value"))
      .def("total_training_updates", &ProgressWriter::total_training_updates)
      .def("total_test_updates", &ProgressWriter::total_test_updates)
      .def(
          "on_write_training_update",
          [](ProgressWriter& w, CountRange samples, CountRange updates, SumRange loss, SumRange metric) {
            w.on_write_training_update({samples, updates, loss, metric});
          },
          nb::arg("samples"), nb::arg("updates"), nb::arg("aggregate_loss"), nb::arg("aggregate_metric"))
      .def("on_training_update_end", &ProgressWriter::on_training_update_end)
      .def(
          "on_write_test_update",
          [](ProgressWriter& w, CountRange samples, CountRange updates, SumRange metric) {
            w.on_write_test_update({samples, updates, {}, metric});
          },
          nb::arg("samples"), nb::arg("updates"), nb::arg("aggregate_metric"))
      .def(
          "on_write_distributed_sync_update",
          [](ProgressWriter& w, CountRange samples, CountRange updates, SumRange metric) {
            w.on_write_distributed_sync_update({samples, updates, {}, metric});
          },
          nb::arg("samples"), nb::arg("updates"), nb::arg("aggregate_metric"))
      .def(
          "on_write_training_summary",
          [](ProgressWriter& w, int64_t samples, int64_t updates, int64_t summaries, double loss,
             double metric, int64_t milliseconds) {
            w.on_write_training_summary({samples, updates, summaries, loss, metric, milliseconds});
          },
          nb::arg("samples"), nb::arg("updates"), nb::arg("summaries"), nb::arg("aggregate_loss"),
          nb::arg("aggregate_metric"), nb::arg("elapsed_milliseconds"))
      .def(
          "on_write_test_summary",
          [](ProgressWriter& w, int64_t samples, int64_t updates, int64_t summaries, double metric,
             int64_t milliseconds) {
            w.on_write_test_summary({samples, updates, summaries, 0, metric, milliseconds});
          },
          nb::arg("samples"), nb::arg("updates"), nb::arg("summaries"), nb::arg("aggregate_metric"),
          nb::arg("elapsed_milliseconds"));
  bind_printer(m);
  nb::class_<TrainingSummaryProgressCallback, ProgressWriter, Overridable<TrainingSummaryProgressCallback>>(
      m, "TrainingSummaryProgressCallback",
      "Calls back at the end of each epoch with (its number, loss, metric, samples).")
      .def(
          "__init__",
          [](TrainingSummaryProgressCallback* self, int64_t epoch_size, nb::object callback) {
            auto kept = std::make_shared<nb::object>(std::move(callback));
            new (self) Overridable<TrainingSummaryProgressCallback>(
                epoch_size, [kept](int64_t epoch, double loss, double metric, int64_t samples) {
                  Locked lock;
                  (*kept)(epoch, loss, metric, samples);
                });
          },
          nb::arg("epoch_size"), nb::arg("callback"));
  nb::class_<ProgressBar, ProgressWriter, Overridable<ProgressBar>>(
      m, "ProgressBar", "One line on the terminal that is drawn again and again while an epoch goes on.")
      .def(
          "__init__",
          [](ProgressBar* self, nb::dict options) {
            new (self) Overridable<ProgressBar>(options_in<ProgressBarOptions>(options), to_python_stderr());
          },
          nb::arg("options"));
}

}  // namespace cantik::python
