// A line that shows how far an epoch has come.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include <cantik/progress.h>

#include "base/process.h"
#include "base/required.h"
#include "base/text.h"
#include "train/calls.h"

namespace cantik {
namespace {

std::string duration(double seconds) {
  char text[64];
  if (!(seconds < 360000)) return "--:--";  // also not a number
  long long s = std::llround(seconds);
  if (s >= 3600)
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%lld:%02lld", s / 60, s % 60);
  return text;
}

std::string number(const char* pattern, double value) {
  char text[400];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

}  // namespace

TextSink to_terminal() {
  return [live = is_error_output_seen()](std::string_view text) {
    if (!live) return;
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
}

ProgressBar::ProgressBar(ProgressBarOptions options, TextSink sink)
    : ProgressWriter({1}), options_(options), sink_(callable(std::move(sink), "the sink of a ProgressBar")) {
  check_options(options_);
}

std::string ProgressBar::line(int64_t samples, double loss, double metric, double seconds,
                              int64_t epoch) const {
  double n = static_cast<double>(std::max<int64_t>(samples, 1)),
         speed = seconds > 0 ? static_cast<double>(samples) / seconds : 0;
  std::string s = cat("epoch ", epoch);
  if (options_.epochs > 0) s += cat("/", options_.epochs);
  s += " ";
  if (options_.samples > 0) {
    double part = std::min(1.0, static_cast<double>(samples) / static_cast<double>(options_.samples));
    const auto full = static_cast<int64_t>(part * static_cast<double>(options_.width));
    s += cat("[", std::string(static_cast<size_t>(full), '#'),
             std::string(static_cast<size_t>(options_.width - full), '.'), "] ");
    char percent[16];
    std::snprintf(percent, sizeof percent, "%3d%% ", static_cast<int>(part * 100));
    s += percent;
  }
  s += number("loss %.6f", loss / n);
  if (has_metric())
    s += options_.metric_is_pct ? number("  metric %.2f%%", metric / n * 100)
                                : number("  metric %.6f", metric / n);
  if (speed > 0) s += number(speed < 10 ? "  %.2g samples/s" : "  %.0f samples/s", speed);
  bool going_on = options_.samples > samples;
  s += going_on ? "  " + duration(static_cast<double>(options_.samples - samples) / speed) + " left"
                : "  " + duration(seconds);
  return s;
}

void ProgressBar::draw(const std::string& text, bool end) {
  std::string padded = "\r" + text + std::string(drawn_ > text.size() ? drawn_ - text.size() : 0, ' ');
  drawn_ = end ? 0 : text.size();
  sink_(end ? padded + "\n" : padded);
}

void ProgressBar::on_write_training_update(const ProgressWindow& w) {
  auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + options_.interval;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  draw(line(w.samples.second, w.loss.second, w.metric.second, seconds, epoch_), false);
}

void ProgressBar::on_nan_loss(int64_t update) {
  std::string when = "the loss of minibatch " + std::to_string(update);
  draw(when + " is not a number (NaN): set_checked_mode(True) finds where it begins", true);
}

void ProgressBar::on_write_training_summary(const ProgressSummary& s) {
  const double seconds = static_cast<double>(s.elapsed_milliseconds) * 1e-3;
  draw(line(s.samples, s.loss, s.metric, seconds, s.summaries), true);
  epoch_ = s.summaries + 1;
  begin_ = std::chrono::steady_clock::now();
  next_ = {};
}

void ProgressBar::on_write_test_summary(const ProgressSummary& s) {
  char text[96];
  double average = s.samples ? s.metric / static_cast<double>(s.samples) : 0;
  std::snprintf(
      text, sizeof text,
      options_.metric_is_pct ? "test metric %.2f%% of %lld samples" : "test metric %.6f of %lld samples",
      average * (options_.metric_is_pct ? 100 : 1), static_cast<long long>(s.samples));
  draw(text, true);
}

void describe_progress_bar(CallDefinitions& calls) {
  calls.add("ProgressBar", "logging", "class")
      .is("ProgressBar")
      .body("_cantik.ProgressBar")
      .options<ProgressBarOptions>("ProgressBarOptions")
      .example("bar = C.logging.ProgressBar(samples=60000, epochs=5)");
}

}  // namespace cantik
