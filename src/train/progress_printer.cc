// The log of CNTK's ProgressPrinter, to the letter.
#include <cantik/progress.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <cantik/error.h>

#include "base/file.h"
#include "base/required.h"
#include "train/calls.h"

namespace cantik {
namespace {

constexpr int64_t kManyEpochs = 300;  // what a log file claims where nobody says how many there will be
constexpr std::chrono::seconds kHeartbeat{10};  // as in CNTK

template <class... T>
std::string format(const char* pattern, const T&... args) {
  char text[512];
  int n = std::snprintf(text, sizeof text, pattern, args...);
  return {text, static_cast<size_t>(std::min<int>(std::max(n, 0), sizeof text - 1))};
}

double plain(double x) { return std::isnan(x) ? std::fabs(x) : x; }  // a NaN has no sign
double ratio(double sum, int64_t count) { return plain(count == 0 ? 0.0 : sum / static_cast<double>(count)); }

// As Python's repr writes a float: the shortest digits that give it back.
std::string shortest(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  double size = std::fabs(x);
  bool exponent = size != 0 && (size < 1e-4 || size >= 1e16);
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, x,
                           exponent ? std::chars_format::scientific : std::chars_format::fixed)
                 .ptr;
  std::string s(text, end);
  return exponent || s.find('.') != std::string::npos ? s : s + ".0";
}

// Of no time or no samples there is no speed.
std::string seconds_and_speed(int64_t samples, double seconds) {
  if (samples == 0 || !(seconds > 0)) return format(" %.3fs;", seconds);
  double speed = static_cast<double>(samples) / seconds;
  return format(speed < 0.1 ? " %.3fs (%.2g samples/s);" : " %.3fs (%5.1f samples/s);", seconds, speed);
}

}  // namespace

TextSink to_stdout() {
  return [](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  };
}

TextSink to_file(const std::string& path) {
  make_folder_of(path);
  auto file = std::make_shared<std::ofstream>(path, std::ios::trunc);
  if (!*file)
    throw value_error("the log file " + path + " cannot be written")
        .remedy("choose a folder that exists and may be written");
  return [file, path](std::string_view line) {
    if (*file << line << '\n' << std::flush) return;
    file->clear();  // there may be room later
    throw runtime_error("the log file " + path + " cannot be written").remedy("make room on its disk");
  };
}

namespace {

// Of the training, once all options have been checked.
WriteFrequency checked_frequency(const ProgressPrinterOptions& o) {
  check_options(o);
  if (o.log_to_file && o.log_to_file->empty())
    throw value_error("log_to_file must be the path of a file, not ''");
  return {o.freq.value_or(WriteFrequency::kNever), o.first};
}

}  // namespace

ProgressPrinter::ProgressPrinter(ProgressPrinterOptions o, TextSink sink)
    : ProgressWriter(checked_frequency(o), {o.test_freq.value_or(WriteFrequency::kNever), o.test_first},
                     {o.distributed_freq.value_or(WriteFrequency::kNever), o.distributed_first}),
      options_(std::move(o)),
      sink_(callable(std::move(sink), "the sink of a ProgressPrinter")),
      console_(sink_) {
  if (options_.log_to_file) {
    std::string path = *options_.log_to_file + (options_.rank ? "rank" + std::to_string(*options_.rank) : "");
    console_("Redirecting log to file " + path);
    sink_ = to_file(path);
    sink_(path);
    int64_t epochs = options_.num_epochs.value_or(kManyEpochs);
    sink_(format("CNTKCommandTrainInfo: train : %lld", static_cast<long long>(epochs)));
    sink_(format("CNTKCommandTrainInfo: CNTKNoMoreCommands_Total : %lld", static_cast<long long>(epochs)));
    sink_("CNTKCommandTrainBegin: train");
  }
  if (!tabular()) return;
  sink_(" average      since    average      since      examples");
  sink_("    loss       last     metric       last              ");
  sink_(" ------------------------------------------------------");
}

void ProgressPrinter::log(std::string_view message) { sink_(message); }

void ProgressPrinter::end_progress_print(std::string_view message) {
  sink_("CNTKCommandTrainEnd: train");
  if (!message.empty() && options_.log_to_file) sink_(message);
}

void ProgressPrinter::write(const std::string& key, double value) { sink_(key + ": " + shortest(value)); }

void ProgressPrinter::tell(const std::string& line) { sink_(" " + line); }

std::string ProgressPrinter::amount(double average, int64_t samples) const {
  return format(options_.metric_is_pct ? "metric = %.2f%% * %lld" : "metric = %.6f * %lld",
                options_.metric_is_pct ? average * 100 : average, static_cast<long long>(samples));
}

std::string ProgressPrinter::epoch(int64_t number) const {
  std::string s = "Finished Epoch[" + std::to_string(number) +
                  (options_.num_epochs ? " of " + std::to_string(*options_.num_epochs) : "") + "]: ";
  return options_.tag.empty() ? s : s + "[" + options_.tag + "] ";
}

void ProgressPrinter::table_row(const Numbers& loss, const Numbers& metric, int64_t samples) {
  auto two = [](const Numbers& n) {
    return n ? format(" %8.3g   %8.3g", n->first, n->second) : std::string(20, ' ');
  };
  sink_(two(loss) + "  " + two(metric) + format("    %10lld", static_cast<long long>(samples)));
}

void ProgressPrinter::on_write_training_update(const ProgressWindow& window) {
  const auto& [samples, updates, loss, metric] = window;
  int64_t n = samples.second - samples.first;
  double recent_loss = ratio(loss.second - loss.first, n),
         recent_metric = ratio(metric.second - metric.first, n);
  if (tabular()) {
    Numbers metrics{{ratio(metric.second, samples.second), recent_metric}};
    table_row({{ratio(loss.second, samples.second), recent_loss}}, has_metric() ? metrics : Numbers(),
              samples.second);
    return;
  }
  sink_(format(" Minibatch[%4lld-%4lld]: loss = %.6f * %lld", static_cast<long long>(updates.first + 1),
               static_cast<long long>(updates.second), recent_loss, static_cast<long long>(n)) +
        (has_metric() ? ", " + amount(recent_metric, n) : "") + ";");
}

void ProgressPrinter::on_training_update_end() { heartbeat(); }

void ProgressPrinter::on_nan_loss(int64_t update) {
  sink_(
      format("The loss of minibatch %lld is not a number (NaN). set_checked_mode(True) makes an error of it "
             "that names the "
             "operator where it begins.",
             static_cast<long long>(update)));
}

void ProgressPrinter::heartbeat() {
  if (!options_.gen_heartbeat) return;
  auto now = std::chrono::steady_clock::now();
  if (now < next_heartbeat_) return;
  next_heartbeat_ = now + kHeartbeat;
  console_("PROGRESS: 0.00%");
}

void ProgressPrinter::on_write_test_update(const ProgressWindow& window) {
  const auto& [samples, updates, loss, metric] = window;
  int64_t n = samples.second - samples.first;
  double recent = ratio(metric.second - metric.first, n);
  if (options_.test_freq == 0) {
    table_row({}, {{ratio(metric.second, samples.second), recent}}, samples.second);
    return;
  }
  sink_(format(" Evaluation Minibatch[%4lld-%4lld]: ", static_cast<long long>(updates.first + 1),
               static_cast<long long>(updates.second)) +
        amount(recent, n) + ";");
}

void ProgressPrinter::on_write_distributed_sync_update(const ProgressWindow& window) {
  const auto& [samples, updates, loss, metric] = window;
  sink_(format("Distributed training: #Syncs elapsed = %lld, #Samples elapsed = %lld",
               static_cast<long long>(updates.second - updates.first),
               static_cast<long long>(samples.second - samples.first)));
}

void ProgressPrinter::on_write_training_summary(const ProgressSummary& s) {
  if (tabular()) return;
  sink_(epoch(s.summaries) +
        format("loss = %.6f * %lld", ratio(s.loss, s.samples), static_cast<long long>(s.samples)) +
        (has_metric() ? ", " + amount(ratio(s.metric, s.samples), s.samples) : "") +
        seconds_and_speed(s.samples, static_cast<double>(s.elapsed_milliseconds) * 1e-3));
}

void ProgressPrinter::on_write_test_summary(const ProgressSummary& s) {
  sink_(format("Finished Evaluation [%lld]: Minibatch[1-%lld]: ", static_cast<long long>(s.summaries),
               static_cast<long long>(s.updates)) +
        amount(ratio(s.metric, s.samples), s.samples) + ";");
}

// ---- loops that count by themselves

ProgressPrinter::Summary ProgressPrinter::reset_start() {
  epoch_begin_ = std::chrono::steady_clock::now();
  const Totals t = std::exchange(start_, {});
  return {t.loss_average(), t.metric_average(), t.samples};
}

ProgressPrinter::Summary ProgressPrinter::reset_last() {
  const Totals t = std::exchange(last_, {});
  return {t.loss_average(), t.metric_average(), t.samples};
}

void ProgressPrinter::update(double loss, int64_t minibatch_size, std::optional<double> metric) {
  double n = static_cast<double>(minibatch_size);
  ++total_updates_;
  for (Totals* a : {&start_, &last_}) {
    a->samples += minibatch_size;
    a->loss += loss * n;
    a->metric += metric.value_or(0) * n;
    ++a->updates;
  }
  heartbeat();
  int64_t every = training_frequency().every, first = training_frequency().first;
  if (!training_frequency().due(start_.updates)) return;
  if (tabular()) {
    Numbers metrics{{avg_metric_since_start(), avg_metric_since_last()}};
    table_row({{avg_loss_since_start(), avg_loss_since_last()}}, metric ? metrics : Numbers(),
              start_.samples);
  } else {
    // The first number of a single minibatch is one too high in CNTK's log.
    long long from = 1 + (start_.updates <= first ? start_.updates : std::max(start_.updates - every, first));
    sink_(format(" Minibatch[%4lld-%4lld]: loss = %.6f * %lld", from, static_cast<long long>(start_.updates),
                 avg_loss_since_last(), static_cast<long long>(last_.samples)) +
          (metric ? ", " + amount(avg_metric_since_last(), last_.samples) : "") + ";");
  }
  reset_last();
}

std::optional<ProgressPrinter::Summary> ProgressPrinter::epoch_summary(bool with_metric) {
  ++epochs_;
  if (tabular()) return {};
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - epoch_begin_).count();
  const Summary s = reset_start();
  sink_(epoch(epochs_) + format("loss = %.6f * %lld", s.loss, static_cast<long long>(s.samples)) +
        (with_metric ? ", " + amount(s.metric, s.samples) : "") + seconds_and_speed(s.samples, seconds));
  return s;
}

void describe_printer(CallDefinitions& calls) {
  using O = ProgressPrinterOptions;
  CallDefinition call = calls.add("ProgressPrinter", "logging", "class");
  call.is("ProgressPrinter").body("_printers.Printer").option<O>("ProgressPrinterOptions", "freq");
  call.option<O>("ProgressPrinterOptions", "first");
  call.option<O>("ProgressPrinterOptions", "tag", {"str | None", "''"});
  call.option<O>("ProgressPrinterOptions", "log_to_file", {"PathLike | None", "None"});
  for (const char* name : {"rank", "gen_heartbeat", "num_epochs", "test_freq", "test_first", "metric_is_pct",
                           "distributed_freq", "distributed_first"})
    call.option<O>("ProgressPrinterOptions", name);
  call.example(
      "printer = C.logging.ProgressPrinter(freq=1)\n"
      "printer.update_training(50, 25.0, 5.0)");
}

}  // namespace cantik
