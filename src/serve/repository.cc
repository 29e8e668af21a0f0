#include "serve/repository.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <cantik/error.h>

#include "base/text.h"

namespace cantik::serve {
namespace {

namespace fs = std::filesystem;

// Names that can stand in an address and in a folder's name.
bool is_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == std::string_view::npos;
}

// -1 for what is no number.
int64_t version_number(const std::string& text) {
  int64_t n = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  return error == std::errc() && end == text.data() + text.size() && std::to_string(n) == text ? n : -1;
}

std::vector<std::string> entries(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_directory(error) == folders && is_name(at->path().filename().string()))
      names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

// A folder of a version has one file that ends like a model's.
fs::path model_file(const fs::path& folder) {
  static const std::set<std::string> kEndings = {".cntk", ".model", ".dnn", ".onnx"};
  std::vector<std::string> files;
  for (const std::string& name : entries(folder, false))
    if (kEndings.contains(fs::path(name).extension().string())) files.push_back(name);
  if (files.size() != 1)
    throw Refusal(kBadRequest,
                  cat("a version's folder has one file that ends in .cntk, .model, .dnn or .onnx; ",
                      folder.filename().string(), " has ", files.size()));
  return folder / files[0];
}

}  // namespace

LoadedModel::LoadedModel(std::shared_ptr<const ServedModel> model, const RepositoryOptions& options,
                         ServerMetrics& server, std::shared_ptr<ModelMetrics> metrics)
    : model_(std::move(model)), options_(options), server_(server), metrics_(std::move(metrics)) {
  const auto run = [served = model_](std::span<WaitingRequest* const> batch, int threads) {
    std::vector<const PreparedRequest*> requests;
    for (const WaitingRequest* request : batch) requests.push_back(&request->prepared);
    const std::vector<Value> values = served->join(requests);
    const Answer results = served->evaluation().run(values, {.threads = threads});
    std::vector<InferAnswer> answers;
    int64_t first = 0;
    for (const PreparedRequest* request : requests) {
      answers.push_back(served->answer(*request, results.outputs, first));
      first += request->samples;
    }
    return answers;
  };
  batcher_ =
      std::make_shared<Batcher>(run, model_->is_batchable(), options_.limits, options_.executors, metrics_);
}

const LoadedModel::Stateful& LoadedModel::stateful() {
  const std::lock_guard lock(mutex_);
  if (stateful_.batcher) return stateful_;
  if (!model_->has_sequence() || !model_->is_batchable())
    throw Refusal(kBadRequest, cat("the model ", model_->name(),
                                   " reads no sequences: a request to it has no sequence_id"));
  try {
    stateful_.streams =
        std::make_shared<ServedStreams>(model_, options_.most_streams, options_.stream_idle, server_);
  } catch (const Error& e) {  // a model that looks ahead
    throw Refusal(kBadRequest, e.what());
  }
  const auto run = [streams = stateful_.streams](std::span<WaitingRequest* const> batch, int threads) {
    return streams->run(batch, threads);
  };
  stateful_.batcher = std::make_shared<Batcher>(run, true, options_.limits, options_.executors, metrics_);
  return stateful_;
}

void LoadedModel::infer(InferRequest request, std::function<void(Outcome)> done) {
  auto waiting = std::make_unique<WaitingRequest>();
  waiting->prepared = model_->prepare(std::move(request), options_.most_rows);
  if (!waiting->prepared.request.sequence) {
    waiting->done = std::move(done);
    batcher_->submit(std::move(waiting));
    return;
  }
  const Stateful& s = stateful();
  auto turn = std::make_shared<StreamTurn>(s.streams, *waiting->prepared.request.sequence);
  waiting->stream = turn->place();
  waiting->sequence = turn->sequence();
  // The turn ends before the client is told: its next request finds the place free.
  waiting->done = [turn = std::move(turn), done = std::move(done)](Outcome outcome) mutable {
    turn.reset();
    done(std::move(outcome));
  };
  s.batcher->submit(std::move(waiting));
}

Repository::Repository(RepositoryOptions options, ServerMetrics& metrics)
    : options_(std::move(options)), metrics_(metrics) {
  std::error_code error;
  if (!fs::is_directory(options_.folder, error))
    throw runtime_error(cat("the folder of models ", options_.folder, " is not there"))
        .remedy("make it, with a folder NAME/VERSION for each model");
}

Repository::Versions Repository::load_versions(const std::string& name) {
  Versions versions;
  for (const std::string& text : entries(fs::path(options_.folder) / name, true)) {
    const int64_t number = version_number(text);
    if (number < 0) continue;
    try {
      const fs::path file = model_file(fs::path(options_.folder) / name / text);
      std::shared_ptr<ModelMetrics> metrics;
      {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<ModelMetrics>& kept = kept_metrics_[name + "/" + text];
        if (!kept) kept = std::make_shared<ModelMetrics>();
        metrics = kept;
      }
      auto model = std::make_shared<const ServedModel>(name, text, file.string());
      versions[number] =
          std::make_shared<LoadedModel>(std::move(model), options_, metrics_, std::move(metrics));
    } catch (const Refusal& refusal) {
      throw Refusal(refusal.status(), cat("version ", text, ": ", refusal.text()));
    } catch (const std::exception& e) {
      throw Refusal(kBadRequest, cat("version ", text, ": ", e.what()));
    }
  }
  if (versions.empty())
    throw Refusal(kBadRequest, "there is no folder whose name is the number of a version");
  return versions;
}

void Repository::load(const std::string& name) {
  const std::lock_guard one_at_a_time(loading_);
  const std::vector<std::string> names = entries(options_.folder, true);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Refusal(kNotFound, cat("there is no model ", name, " in the repository"));
  Versions versions;
  try {
    versions = load_versions(name);
  } catch (const Refusal& refusal) {
    const std::lock_guard lock(mutex_);
    reasons_[name] = refusal.text();
    throw Refusal(refusal.status(), cat("the model ", name, " cannot be loaded: ", refusal.text()));
  }
  // What is replaced ends outside of the lock.
  {
    const std::lock_guard lock(mutex_);
    models_[name].swap(versions);
    reasons_.erase(name);
  }
}

void Repository::load_all() {
  for (const std::string& name : entries(options_.folder, true)) {
    try {
      load(name);
    } catch (const Refusal&) {  // the index has the reason
    }
  }
}

void Repository::unload(const std::string& name) {
  Versions old;
  const std::lock_guard lock(mutex_);
  const auto at = models_.find(name);
  if (at == models_.end()) throw Refusal(kNotFound, cat("the model ", name, " is not loaded"));
  old.swap(at->second);
  models_.erase(at);
  reasons_[name] = "unloaded";
}

std::shared_ptr<LoadedModel> Repository::find(std::string_view name, std::string_view version) const {
  const std::lock_guard lock(mutex_);
  const auto at = models_.find(name);
  if (at == models_.end() || at->second.empty())
    throw Refusal(kNotFound, cat("the model ", name, " is not loaded"));
  if (version.empty()) return at->second.rbegin()->second;
  const auto of = at->second.find(version_number(std::string(version)));
  if (of == at->second.end()) throw Refusal(kNotFound, cat("the model ", name, " has no version ", version));
  return of->second;
}

std::vector<std::string> Repository::versions(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  const auto at = models_.find(name);
  if (at == models_.end()) return texts;
  for (auto v = at->second.rbegin(); v != at->second.rend(); ++v) texts.push_back(std::to_string(v->first));
  return texts;
}

std::vector<IndexEntry> Repository::index() const {
  const std::vector<std::string> names = entries(options_.folder, true);
  std::set<std::string> all(names.begin(), names.end());
  const std::lock_guard lock(mutex_);
  for (const auto& [name, versions] : models_) all.insert(name);
  std::vector<IndexEntry> list;
  for (const std::string& name : all) {
    const auto at = models_.find(name);
    const auto reason = reasons_.find(name);
    const std::string why = reason == reasons_.end() ? std::string() : reason->second;
    if (at == models_.end()) {
      list.push_back({name, "", false, why});
      continue;
    }
    for (const auto& [number, model] : at->second) list.push_back({name, std::to_string(number), true, why});
  }
  return list;
}

std::vector<std::shared_ptr<LoadedModel>> Repository::loaded() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<LoadedModel>> list;
  for (const auto& [name, versions] : models_)
    for (const auto& [number, model] : versions) list.push_back(model);
  return list;
}

}  // namespace cantik::serve
