// What progress writers are told and when, and what the printer makes of it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <utility>

#include <unistd.h>

#include <cantik/error.h>
#include <cantik/progress.h>

#include "error_of.h"
#include "golden_text.h"
#include "train/running_sum.h"

namespace cantik {
namespace {

constexpr std::string_view kProgressGolden =
#include "golden/progress_cntk.inc"
    ;

const std::map<std::string, Lines>& golden() {
  static const auto blocks = golden_blocks(kProgressGolden);
  return blocks;
}

struct Update {
  int64_t first, last, samples;
  double loss, metric;
};
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInf = std::numeric_limits<double>::infinity();
const Update kUpdates[] = {
    {0, 1, 32, 114.43, 18},        {1, 3, 64, 40.277, 26},      {3, 7, 128, 91.5, 60},
    {7, 15, 256, 1e-5, 0},         {15, 31, 512, 123456., 300}, {31, 63, 1000, 1e9, 1000},
    {63, 127, 10000, -5.5, 10000}, {127, 99999, 5, kNan, kInf}, {0, 0, 0, 1, 1}};
const double kNumbers[] = {0.1,     1e-9,  123456789.125, 1.0,    1e16, 1e15, 123456789012345680.0,
                           1e-4,    1e-5,  0.00012345,    kInf,   kNan, -0.0, 5e-324,
                           1.0 / 3, 100.0, 1e22,          1.5e300};

// The calls of progress_cntk.py.
void call_all(ProgressPrinter& p) {
  int64_t samples = 0;
  double loss = 0, metric = 0;
  for (const Update& u : kUpdates) {
    p.on_write_training_update({{samples, samples + u.samples},
                                {u.first, u.last},
                                {loss, loss + u.loss},
                                {metric, metric + u.metric}});
    samples += u.samples, loss += u.loss, metric += u.metric;
  }
  p.on_training_update_end();
  p.on_training_update_end();
  samples = 0, metric = 0;
  for (size_t i = 0; i < 4; ++i) {
    const Update& u = kUpdates[i];
    p.on_write_test_update(
        {{samples, samples + u.samples}, {u.first, u.last}, {}, {metric, metric + u.metric}});
    samples += u.samples, metric += u.metric;
  }
  p.on_write_distributed_sync_update({{0, 32}, {0, 1}, {}, {0, 3}});
  p.on_write_training_summary({20000, 625, 1, 6887.98, 2516, 521});
  p.on_write_training_summary({20000, 625, 2, 6887.98, 2516, 0});
  p.on_write_training_summary({0, 0, 3, 0, 0, 5});
  p.on_write_training_summary({20000, 625, 14, 6887.98, 2516, 123456789});
  p.on_write_test_summary({1024, 32, 1, 0, 83, 12});
  p.on_write_test_summary({0, 0, 2, 0, 0, 0});
  for (double x : kNumbers) p.write("key", x);
  p.log("a message");
  p.end_progress_print("done");
  p.end_progress_print();
}

struct Log {
  Lines lines;
  TextSink sink() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

TEST(ProgressPrinter, PrintsWhatCntkPrints) {
  const std::map<std::string, ProgressPrinterOptions> printers = {
      {"default", {}},
      {"every", {.freq = 1}},
      {"table", {.freq = 0}},
      {"table_epochs", {.freq = 0, .tag = "T", .num_epochs = 3}},
      {"no_percent", {.freq = 10, .tag = "Training", .num_epochs = 5, .metric_is_pct = false}},
      {"table_first", {.freq = 0, .first = 3, .metric_is_pct = false}},
      {"test_table", {.freq = 1, .test_freq = 0}},
      {"rank", {.tag = "A", .rank = 0, .test_freq = 1}},
      {"heartbeat", {.freq = 5, .gen_heartbeat = true}},
  };
  for (const auto& [name, options] : printers) {
    Log log;
    ProgressPrinter p(options, log.sink());
    call_all(p);
    expect_lines(name, log.lines, without_no_speed(golden().at(name)));
  }
}

std::string python_float(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", x);
  std::string s = text;
  return s.find('.') == std::string::npos ? s + ".0" : s;
}

std::string python_summary(const std::optional<ProgressPrinter::Summary>& s) {
  return s ? "(" + python_float(s->loss) + ", " + python_float(s->metric) + ", " +
                 std::to_string(s->samples) + ")"
           : "None";
}

TEST(ProgressPrinter, ServesLoopsThatCountThemselves) {
  const std::map<std::string, ProgressPrinterOptions> printers = {
      {"own_default", {}},
      {"own_2", {.freq = 2}},
      {"own_table", {.freq = 0}},
      {"own_first", {.freq = 2, .first = 1, .tag = "Z", .num_epochs = 4, .metric_is_pct = false}},
      {"own_table_first", {.freq = 0, .first = 2}},
  };
  for (const auto& [name, options] : printers) {
    Log log;
    ProgressPrinter p(options, log.sink());
    for (int i = 0; i < 7; ++i) {
      p.update(1.5 + i, 10, 0.25);
      p.log(python_float(p.avg_loss_since_start()) + " " + python_float(p.avg_metric_since_start()) + " " +
            python_float(p.avg_loss_since_last()) + " " + python_float(p.avg_metric_since_last()));
    }
    p.update(1, 10);
    p.log(python_summary(p.epoch_summary(true)));
    for (int i = 0; i < 3; ++i) p.update(1.5 + i, 10);
    p.log(python_summary(p.epoch_summary()));
    p.log(python_summary(p.epoch_summary(true)));
    for (std::string& line : log.lines) line = without_time(line);
    expect_lines(name, log.lines, without_no_speed(golden().at(name)));
  }
}

TEST(ProgressPrinter, WritesFiles) {
  namespace fs = std::filesystem;
  fs::path old = fs::current_path(),
           folder = fs::temp_directory_path() / ("cantik_progress_" + std::to_string(::getpid()));
  fs::create_directory(folder);
  fs::current_path(folder);
  const std::map<std::string, std::pair<std::string, ProgressPrinterOptions>> printers = {
      {"file", {"a.log", {.freq = 1, .log_to_file = "a.log"}}},
      {"file_table", {"b.log", {.freq = 0, .tag = "T", .log_to_file = "b.log", .num_epochs = 3}}},
      {"file_rank", {"c.logrank2", {.freq = 1, .log_to_file = "c.log", .rank = 2, .num_epochs = 2}}},
      {"file_heartbeat",
       {"d.log", {.freq = 1, .log_to_file = "d.log", .gen_heartbeat = true, .num_epochs = 1}}},
  };
  for (const auto& [name, made] : printers) {
    Log log;
    {
      ProgressPrinter p(made.second, log.sink());
      call_all(p);
    }
    expect_lines(name, log.lines, without_no_speed(golden().at(name)));
    Lines content;
    std::ifstream file(made.first);
    for (std::string line; std::getline(file, line);) content.push_back(line);
    expect_lines(name + "_content", content, without_no_speed(golden().at(name + "_content")));
  }
  ProgressPrinter({.log_to_file = "new/folders/log"}, [](std::string_view) {});
  EXPECT_TRUE(fs::exists("new/folders/log"));
  // under a file
  EXPECT_THROW(ProgressPrinter({.log_to_file = "new/folders/log/log"}, [](std::string_view) {}), Error);
  fs::current_path(old);
  fs::remove_all(folder);
}

TEST(ProgressPrinter, ChecksItsOptions) {
  auto error = [](ProgressPrinterOptions o) {
    return error_of([&] { ProgressPrinter(std::move(o), [](std::string_view) {}); });
  };
  EXPECT_EQ(error({.freq = -1}), "freq must be at least 0, and is -1");
  EXPECT_EQ(error({.first = -1}), "first must be at least 0, and is -1");
  EXPECT_EQ(error({.test_freq = -1}), "test_freq must be at least 0, and is -1");
  EXPECT_EQ(error({.log_to_file = ""}), "log_to_file must be the path of a file, not ''");
}

// Remembers what it is told.
struct Recorder : ProgressWriter {
  using ProgressWriter::ProgressWriter;
  Lines told;
  int ends = 0;
  static std::string text(CountRange r) { return std::to_string(r.first) + "-" + std::to_string(r.second); }
  void on_write_training_update(const ProgressWindow& w) override {
    told.push_back("train " + text(w.updates) + " samples " + text(w.samples) + " loss " +
                   std::to_string(w.loss.second - w.loss.first) + " metric " +
                   std::to_string(w.metric.second - w.metric.first));
  }
  void on_training_update_end() override { ++ends; }
  void on_write_test_update(const ProgressWindow& w) override {
    told.push_back("test " + text(w.updates) + " samples " + text(w.samples));
  }
  void on_write_distributed_sync_update(const ProgressWindow& w) override {
    told.push_back("sync " + text(w.updates) + " samples " + text(w.samples));
  }
  void on_write_training_summary(const ProgressSummary& s) override {
    told.push_back("summary " + std::to_string(s.summaries) + " updates " + std::to_string(s.updates) +
                   " samples " + std::to_string(s.samples) + " loss " + std::to_string(s.loss));
  }
};

TEST(ProgressWriter, WindowsAreEveryFirstAndDoubling) {
  auto updates = [](WriteFrequency f, int count) {
    Recorder r(f);
    for (int i = 0; i < count; ++i) r.update_training(10, 1, 0.5);
    std::vector<std::string> windows;
    for (const std::string& line : r.told) windows.push_back(line.substr(6, line.find(' ', 6) - 6));
    return windows;
  };
  EXPECT_EQ(updates({4}, 9), (Lines{"0-4", "4-8"}));
  EXPECT_EQ(updates({4, 2}, 9), (Lines{"0-1", "1-2", "2-4", "4-8"}));
  EXPECT_EQ(updates({0}, 16), (Lines{"0-1", "1-3", "3-7", "7-15"}));
  EXPECT_EQ(updates({WriteFrequency::kNever}, 100), Lines{});
  EXPECT_EQ(updates({WriteFrequency::kNever, 1}, 100), Lines{"0-1"});

  Recorder r({2}, {0}, {1});
  for (int i = 0; i < 3; ++i) r.update_training(10, 1, 0.5);
  r.update_test(7, 1);
  r.update_distributed_sync(5, 1);
  r.write_training_summary();
  r.update_training(10, 1, 0.5);
  r.update_training(10, 1, 0.5);
  r.write_training_summary();
  EXPECT_EQ(r.told, (Lines{"train 0-2 samples 0-20 loss 2.000000 metric 1.000000", "test 0-1 samples 0-7",
                           "sync 0-1 samples 0-5", "summary 1 updates 3 samples 30 loss 3.000000",
                           "train 0-2 samples 0-20 loss 2.000000 metric 1.000000",
                           "summary 2 updates 2 samples 20 loss 2.000000"}));
  EXPECT_EQ(r.ends, 5);
  EXPECT_EQ(r.total_training_updates(), 5);
  EXPECT_EQ(r.total_test_updates(), 1);
}

TEST(ProgressWriter, SumsAreAddedUpInTheElementType) {
  training::RunningSum f, d;
  for (int i = 0; i < 4; ++i) {
    f.add(16777217.0 / 4 + 0.3, DType::float32);
    d.add(16777217.0 / 4 + 0.3, DType::float64);
  }
  EXPECT_EQ(f.sum, 16777218.0);
  EXPECT_DOUBLE_EQ(d.sum, 16777218.2);
}

// CNTK's writers have the sums of whoever told last, over the samples of all.
TEST(ProgressWriter, TellsTheTotalsOfWhoeverToldLast) {
  Recorder r({1});
  r.update_training_to(2, 1, 0.5);
  r.update_training_to(3, 10, 5);  // another trainer
  r.update_training_to(4, 3, 1.5);
  r.write_training_summary_of(10, 5);
  EXPECT_EQ(r.told, (Lines{"train 0-1 samples 0-2 loss 1.000000 metric 0.500000",
                           "train 1-2 samples 2-5 loss 9.000000 metric 4.500000",
                           "train 2-3 samples 5-9 loss -7.000000 metric -3.500000",
                           "summary 1 updates 3 samples 9 loss 10.000000"}));
}

TEST(ProgressWriter, RefusesNegativeFrequencies) {
  EXPECT_THROW(Recorder({-1}), Error);
  EXPECT_THROW(Recorder({1, -1}), Error);
  EXPECT_THROW(Recorder({1}, {-2}), Error);
}

TEST(TrainingSummary, CallsBackOnceAnEpoch) {
  Lines calls;
  TrainingSummaryProgressCallback c(10, [&](int64_t epoch, double loss, double metric, int64_t samples) {
    calls.push_back(std::to_string(epoch) + " " + std::to_string(loss) + " " + std::to_string(metric) + " " +
                    std::to_string(samples));
  });
  c.update_training(32, 3, 1);
  c.write_training_summary();
  c.update_test(7, 1);
  c.write_test_summary();
  c.write_training_summary();
  EXPECT_EQ(calls, (Lines{"0 3.000000 1.000000 32", "1 0.000000 0.000000 0"}));
}

TEST(ProgressBar, DrawsOneLine) {
  Log log;
  ProgressBar bar({.samples = 100, .epochs = 2, .width = 10, .interval = std::chrono::milliseconds(0)},
                  log.sink());
  bar.update_training(50, 25, 10);
  bar.update_training(50, 20, 5);
  bar.write_training_summary();
  ASSERT_EQ(log.lines.size(), 3u);
  EXPECT_TRUE(log.lines[0].starts_with("\repoch 1/2 [#####.....]  50% loss 0.500000  metric 20.00%  "))
      << log.lines[0];
  EXPECT_NE(log.lines[0].find(" left"), std::string::npos);
  EXPECT_TRUE(log.lines[1].starts_with("\repoch 1/2 [##########] 100% loss 0.450000  metric 15.00%  "))
      << log.lines[1];
  EXPECT_EQ(log.lines[2].back(), '\n');
  bar.update_training(10, 5, 1);
  EXPECT_EQ(log.lines[3].substr(0, 10), "\repoch 2/2");
  bar.update_test(10, 1);
  bar.write_test_summary();
  // blanks over the rest of the line
  EXPECT_EQ(log.lines[4].substr(0, 34), "\rtest metric 10.00% of 10 samples ");
}

TEST(ProgressBar, IsThrottled) {
  Log log;
  ProgressBar bar({.samples = 1000, .interval = std::chrono::hours(1)}, log.sink());
  for (int i = 0; i < 100; ++i) bar.update_training(10, 1, 1);
  EXPECT_EQ(log.lines.size(), 1u);
  bar.write_training_summary();
  EXPECT_EQ(log.lines.size(), 2u);
}

TEST(ProgressBar, TellsNoMetricWhereThereIsNone) {
  Log log;
  ProgressBar bar({.samples = 100, .interval = std::chrono::milliseconds(0)}, log.sink());
  bar.update_training(50, 25, std::nullopt);
  bar.write_training_summary();
  for (const std::string& line : log.lines) EXPECT_EQ(line.find("metric"), std::string::npos) << line;
}

TEST(ProgressBar, WritesNothingIntoFiles) {
  testing::internal::CaptureStderr();  // a file, so no terminal
  ProgressBar bar({.samples = 100, .interval = std::chrono::milliseconds(0)});
  bar.update_training(50, 25, 10);
  bar.write_training_summary();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ProgressPrinter, TellsNoMetricWhereThereIsNone) {
  for (std::optional<int64_t> freq :
       {std::optional<int64_t>(1), std::optional<int64_t>(0), std::optional<int64_t>()}) {
    Log log;
    ProgressPrinter p({.freq = freq}, log.sink());
    size_t head = log.lines.size();
    p.update_training(50, 25, std::nullopt);
    p.write_training_summary();
    for (size_t i = head; i < log.lines.size(); ++i)
      EXPECT_EQ(log.lines[i].find("metric"), std::string::npos) << log.lines[i];
    if (freq == 1) {
      EXPECT_EQ(log.lines[0], " Minibatch[   1-   1]: loss = 0.500000 * 50;");
    }
    if (freq == 0) {
      EXPECT_EQ(log.lines[head], "      0.5        0.5                                  50");
    }
    if (!freq) {
      EXPECT_TRUE(log.lines[0].starts_with("Finished Epoch[1]: loss = 0.500000 * 50 ")) << log.lines[0];
    }
  }
}

TEST(ProgressPrinter, TellsNoSpeedOfNoTime) {
  Log log;
  ProgressPrinter p({}, log.sink());
  p.on_write_training_summary({100, 4, 1, 50, 10, 0});
  p.on_write_training_summary({0, 0, 2, 0, 0, 5});
  p.on_write_training_summary({1, 1, 3, 1, 0, 50000});
  EXPECT_EQ(log.lines,
            (Lines{"Finished Epoch[1]: loss = 0.500000 * 100, metric = 10.00% * 100 0.000s;",
                   "Finished Epoch[2]: loss = 0.000000 * 0, metric = 0.00% * 0 0.005s;",
                   "Finished Epoch[3]: loss = 1.000000 * 1, metric = 0.00% * 1 50.000s (0.02 samples/s);"}));
}

TEST(ProgressWriter, SaysOnceThatALossIsNotANumber) {
  Log log;
  ProgressPrinter p({.freq = 10}, log.sink());
  double nan = std::nan("");
  for (double loss : {1.0, 2.0, nan, nan, nan}) p.update_training(10, loss, 0);
  p.write_training_summary();
  p.update_training(10, nan, 0);
  ASSERT_EQ(log.lines.size(), 2u);
  EXPECT_TRUE(log.lines[0].starts_with("The loss of minibatch 3 is not a number (NaN).")) << log.lines[0];
  EXPECT_TRUE(log.lines[1].starts_with("Finished Epoch[1]: loss = nan * 50, ")) << log.lines[1];
}

TEST(ProgressPrinter, a_full_disk_is_told) {
  const TextSink sink = to_file("/dev/full");
  EXPECT_THROW(sink("a line"), Error);
  EXPECT_THROW(sink("another one"), Error);
}

}  // namespace
}  // namespace cantik
