// Trainers of several workers: what they share, what each of them alone knows, how those that live go on
// without one that is lost, and take in new ones.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <cantik/distributed.h>
#include <cantik/error.h>
#include <cantik/trainer.h>

#include "base/text.h"
#include "formats/model.h"
#include "train/training.h"
#include "train/work.h"

namespace cantik {
namespace {

using training::kDistributed, training::kExternalStates, training::kStates;

constexpr const char* kWorkers = "workers";                       // in kDistributed: of each worker
constexpr const char *kLearners = "learners", *kDraws = "draws";  // of a worker

// In what the furthest worker tells those who are behind.
constexpr const char *kModel = "model", *kWorkersTrainer = "trainer", *kSteps = "steps", *kPlaces = "places",
                     *kTold = "told";

}  // namespace

CommunicatorPtr Trainer::workers() const { return work_->workers; }

WorkerShare Trainer::share() const {
  const DistributedLearner* d = training_->of_workers();
  if (!d || !d->exchanges()) return {};
  return {d->communicator()->size(), d->communicator()->rank()};
}

DistributedLearner::Counts Trainer::counted_by_all() const {
  if (const DistributedLearner* d = training_->of_workers()) return d->counted_by_all();
  return {total_number_of_samples_seen(), total_number_of_minibatches_seen(), total_number_of_sweeps_seen()};
}

int64_t Trainer::minibatch_size_scale_factor() const {
  const DistributedLearner* d = training_->of_workers();
  return d && d->exchanges() ? d->minibatch_size_scale_factor() : 1;
}

void Trainer::meet() const {
  for (DistributedLearner* d : training_->distributed)
    if (d) d->meet();
}

// ---- checkpoints

// What each worker alone knows.
Dictionary Trainer::state_of_this_worker() const {
  DictionaryVector learners;
  for (const DistributedLearner* d : training_->distributed)
    if (d) learners.push_back(d->worker_state());
  return {{kLearners, std::move(learners)},
          {kStates, training_->step->states().state()},
          {kDraws, write_draws(training_function(), training_->step->draws())}};
}

// In the order of ranks.
Dictionary Trainer::state_of_workers() const {
  const DistributedLearner* first = training_->of_workers();
  if (!first) return {};
  DictionaryVector all;
  for (const std::string& bytes :
       first->communicator()->gather(state_of_this_worker().to_bytes(), "states of workers"))
    all.push_back(Dictionary::from_bytes(bytes));
  return {{kWorkers, std::move(all)}};
}

DictionaryVector Trainer::Training::external_states(const Dictionary& own) const {
  DictionaryVector all;
  if (const DistributedLearner* first = of_workers())
    for (const std::string& bytes : first->communicator()->gather(own.to_bytes(), "external states"))
      all.push_back(Dictionary::from_bytes(bytes));
  return all;
}

Dictionary Trainer::Training::external_state(const Dictionary& trainer) const {
  const DistributedLearner* first = of_workers();
  const DictionaryValue *of_all = trainer.find(kExternalStates), *of_one = trainer.find("ExternalState");
  if (first && of_all)
    if (const auto& all = of_all->as<DictionaryVector>();
        all.size() == static_cast<size_t>(first->communicator()->size()))
      return all[static_cast<size_t>(first->communicator()->rank())].as<Dictionary>();
  return of_one ? of_one->as<Dictionary>() : Dictionary();
}

// On another number of workers each begins anew with what only one of them knew; those that were there go on
// with their random numbers, others draw with seeds of their own.
void Trainer::restore_worker(const Dictionary& trainer) {
  const DistributedLearner* first = training_->of_workers();
  const DictionaryValue* distributed = trainer.find(kDistributed);
  const Dictionary d = distributed ? distributed->as<Dictionary>() : Dictionary();
  const DictionaryValue* found = d.find(kWorkers);
  const auto workers = found ? found->as<DictionaryVector>() : DictionaryVector();
  const auto size = static_cast<size_t>(first ? first->communicator()->size() : 1),
             rank = static_cast<size_t>(first ? first->communicator()->rank() : 0);
  if (workers.empty()) return restore_worker(Dictionary(), false);
  const bool was_there = rank < workers.size();
  const Dictionary& own = workers[was_there ? rank : 0].as<Dictionary>();
  if (workers.size() == size) return restore_worker(own, true);
  restore_worker(workers[0].as<Dictionary>(), false);
  if (const DictionaryValue* draws = own.find(kDraws))
    restore_draws(training_function(), draws->as<Dictionary>(), was_there ? 0 : static_cast<int64_t>(rank));
}

// From the state of a worker: this one's, or the main one's of others.
void Trainer::restore_worker(const Dictionary& state, bool own) {
  const DictionaryValue* found = state.find(kLearners);
  const auto learners = found ? found->as<DictionaryVector>() : DictionaryVector();
  size_t i = 0;
  for (DistributedLearner* learner : training_->distributed) {
    if (!learner) continue;
    const Dictionary d = i < learners.size() ? learners[i++].as<Dictionary>() : Dictionary();
    if (own)
      learner->restore_worker(d);
    else
      learner->restore_shared(d);
  }
  if (const DictionaryValue* states = state.find(kStates))
    training_->step->states().restore(own ? states->as<DictionaryVector>() : DictionaryVector());
  if (const DictionaryValue* draws = state.find(kDraws); draws && own)
    restore_draws(training_function(), draws->as<Dictionary>());
}

// ---- workers that come and go

bool Trainer::is_elastic() const {
  const DistributedLearner* d = training_->of_workers();
  return d && d->is_elastic();
}

bool Trainer::is_new() const { return work_->workers && work_->workers->is_new(); }
bool Trainer::has_lost_worker() const { return work_->workers && work_->workers->has_lost(); }

int64_t Trainer::steps_together() const {
  const DistributedLearner* d = training_->of_workers();
  return d ? d->steps_together() : 0;
}

void Trainer::set_place(std::function<std::string()> place) {
  if (DistributedLearner* d = training_->of_workers()) d->set_place(std::move(place));
}

void Trainer::tell_places() {
  if (DistributedLearner* d = training_->of_workers()) d->tell_places();
}

std::vector<Dictionary> Trainer::places() const {
  std::vector<Dictionary> all;
  if (const DistributedLearner* d = training_->of_workers())
    for (const std::string& bytes : d->places()) all.push_back(Dictionary::from_bytes(bytes));
  return all;
}

void Trainer::tell(const std::string& line) const {
  for (const ProgressWriterPtr& w : writers_) w->tell(line);
}

void Trainer::has_acted() { ++training_->acted; }

// All go back to the last step that each of them knows to be made; those who have not come to the furthest
// one, or to what the caller has done since, get it of a worker that has. What that adds is returned; empty
// where this worker is as far.
Dictionary Trainer::catch_up(const Dictionary& external) {
  Training& t = *training_;
  Communicator& c = *work_->workers;
  for (DistributedLearner* d : t.distributed)
    if (d) d->go_back();
  if (t.exchange) t.exchange->begin_anew();
  using Progress = std::array<int64_t, 2>;
  const Progress own = t.is_new ? Progress{-1, 0} : Progress{steps_together(), t.acted};
  std::vector<Progress> all;
  for (const std::string& bytes : c.gather({reinterpret_cast<const char*>(&own), sizeof own}, "progress"))
    std::memcpy(&all.emplace_back(), bytes.data(), std::min(bytes.size(), sizeof(Progress)));
  const auto furthest = static_cast<size_t>(std::max_element(all.begin(), all.end()) - all.begin());
  if (std::all_of(all.begin(), all.end(), [&](const Progress& p) { return p == own; })) return {};
  const bool tells = static_cast<size_t>(c.rank()) == furthest;
  const std::string bytes =
      c.gather(tells ? all_in_common(external).to_bytes() : "", "state of the training")[furthest];
  if (own == all[furthest]) return {};
  const Dictionary draws = t.is_new ? Dictionary() : write_draws(training_function(), t.step->draws());
  const Dictionary d = Dictionary::from_bytes(bytes);
  const Dictionary state = d.at(kWorkersTrainer).as<Dictionary>();
  const Dictionary other = restore_training(d.at(kModel).as<Dictionary>(), state);
  restore_draws(training_function(), draws);  // those of this worker go on
  std::vector<std::string> places;
  for (const DictionaryValue& v : d.at(kPlaces).as<DictionaryVector>())
    places.push_back(v.as<Dictionary>().to_bytes());
  t.of_workers()->set_together(static_cast<int64_t>(d.at(kSteps).as<uint64_t>()), std::move(places));
  const auto& told = d.at(kTold).as<DictionaryVector>();
  t.samples = static_cast<int64_t>(told.at(0).as<uint64_t>());
  t.loss_sum = told.at(1).as<double>();
  t.metric_sum = told.at(2).as<double>();
  t.acted = all[furthest][1];
  t.is_new = false;
  return other;
}

// What a worker that has made the last step tells the others.
Dictionary Trainer::all_in_common(const Dictionary& external) const {
  const Training& t = *training_;
  Dictionary state = state_without_workers(external);
  state[kDistributed] = Dictionary{{kWorkers, DictionaryVector{state_of_this_worker()}}};
  const std::vector<Dictionary> all = places();
  return {{kModel, trained_model()},
          {kWorkersTrainer, std::move(state)},
          {kSteps, static_cast<uint64_t>(steps_together())},
          {kPlaces, DictionaryVector(all.begin(), all.end())},
          {kTold, DictionaryVector{static_cast<uint64_t>(t.samples), t.loss_sum, t.metric_sum}}};
}

Dictionary Trainer::meet_again(const Dictionary& external, const std::string& why) {
  Communicator& c = *work_->workers;
  const int64_t before = c.size();
  for (;;) {
    try {
      c.meet_again();
      Dictionary further = catch_up(external);
      tell(cat(" ", before, " workers are ", c.size(), " from now on: ", why.substr(0, why.find('\n'))));
      return further;
    } catch (const Error&) {
      if (!c.has_lost()) throw;
    }
  }
}

bool Trainer::take_in(const Dictionary& external) {
  if (!is_elastic() || !work_->workers->take_in()) return false;
  catch_up(external);
  tell(cat(" ", work_->workers->size(), " workers are here from now on: new ones have come"));
  return true;
}

Dictionary Trainer::wait_to_be_taken_in() {
  training_->is_new = true;
  work_->workers->wait_to_be_taken_in();
  try {
    return catch_up({});
  } catch (const Error& e) {
    if (!has_lost_worker()) throw;
    return meet_again({}, e.what());
  }
}

}  // namespace cantik
