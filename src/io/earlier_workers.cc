#include "io/earlier_workers.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace cantik {

EarlierWorkers earlier_workers_of(const Dictionary& state) {
  EarlierWorkers all;
  const DictionaryValue* found = state.find(kEarlierWorkers);
  if (!found) return all;
  for (const DictionaryValue& times : found->as<DictionaryVector>()) {
    std::vector<Dictionary>& places = all.emplace_back();
    for (const DictionaryValue& place : times.as<DictionaryVector>())
      places.push_back(place.as<Dictionary>());
  }
  return all;
}

// A worker that has passed all of them knows of none any more.
EarlierWorkers with_last_workers(std::span<const Dictionary> states) {
  EarlierWorkers all;
  std::vector<Dictionary> last;
  for (const Dictionary& state : states) {
    EarlierWorkers known = earlier_workers_of(state);
    if (known.size() > all.size()) all = std::move(known);
    Dictionary& place = last.emplace_back(state);
    place.erase(kEarlierWorkers);
  }
  all.push_back(std::move(last));
  return all;
}

void describe(const EarlierWorkers& all, Dictionary& state) {
  if (all.empty()) return;
  DictionaryVector times;
  for (const std::vector<Dictionary>& places : all)
    times.push_back(DictionaryVector(places.begin(), places.end()));
  state[kEarlierWorkers] = std::move(times);
}

}  // namespace cantik
