// Repository: a folder of models, NAME/VERSION/FILE, which are loaded, replaced and unloaded while requests
// run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "serve/batcher.h"
#include "serve/streams.h"

namespace cantik::serve {

struct RepositoryOptions {
  std::string folder;
  BatchLimits limits;
  int64_t most_rows = 0;     // of a request
  int64_t most_streams = 0;  // of a model
  Clock::duration stream_idle{};
  Executors executors;
};

// A version of a model that requests can run on. Requests hold it, so it outlives its place in the
// repository.
class LoadedModel : public std::enable_shared_from_this<LoadedModel> {
 public:
  LoadedModel(std::shared_ptr<const ServedModel> model, const RepositoryOptions& options,
              ServerMetrics& server, std::shared_ptr<ModelMetrics> metrics);

  const ServedModel& model() const { return *model_; }
  const ModelMetrics& metrics() const { return *metrics_; }
  // Runs the request; `done` is told of its outcome, from any thread. A Refusal where it cannot wait here.
  void infer(InferRequest request, std::function<void(Outcome)> done);

 private:
  struct Stateful {
    std::shared_ptr<ServedStreams> streams;
    std::shared_ptr<Batcher> batcher;
  };
  const Stateful& stateful();

  const std::shared_ptr<const ServedModel> model_;
  const RepositoryOptions options_;
  ServerMetrics& server_;
  const std::shared_ptr<ModelMetrics> metrics_;
  std::shared_ptr<Batcher> batcher_;
  std::mutex mutex_;
  Stateful stateful_;  // made by the first request that needs it
};

// A line of the repository's index.
struct IndexEntry {
  std::string name, version;
  bool ready = false;
  std::string reason;  // why it is not ready
};

class Repository {
 public:
  Repository(RepositoryOptions options, ServerMetrics& metrics);

  // Loads every model of the folder. Models that cannot be loaded are in the index with the reason.
  void load_all();
  // Loads the versions of a model anew; the old ones are used until the new ones are there. A Refusal where
  // there is no such model or a version of it cannot be loaded: nothing has changed then.
  void load(const std::string& name);
  void unload(const std::string& name);

  // The version, or the newest one. A Refusal where it is not there.
  std::shared_ptr<LoadedModel> find(std::string_view name, std::string_view version) const;
  // The versions that are there, the newest one first.
  std::vector<std::string> versions(std::string_view name) const;
  // What is in the folder, and what is loaded.
  std::vector<IndexEntry> index() const;
  std::vector<std::shared_ptr<LoadedModel>> loaded() const;

 private:
  using Versions = std::map<int64_t, std::shared_ptr<LoadedModel>>;
  Versions load_versions(const std::string& name);

  const RepositoryOptions options_;
  ServerMetrics& metrics_;
  std::mutex loading_;  // one load at a time
  mutable std::mutex mutex_;
  std::map<std::string, Versions, std::less<>> models_;
  std::map<std::string, std::string, std::less<>> reasons_;
  std::map<std::string, std::shared_ptr<ModelMetrics>>
      kept_metrics_;  // counters go on where a model is replaced
};

}  // namespace cantik::serve
