#include "distributed/matching.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <cantik/dictionary.h>
#include <cantik/error.h>

#include "base/text.h"

namespace cantik::distributed {
namespace {

constexpr const char *kUid = "uid", *kKind = "kind";

// What the others have to know of a parameter.
struct Told {
  std::string uid, kind;  // kind: name, element type and shape
};
using Parameters = std::vector<Told>;

std::string to_bytes(std::span<const Variable> parameters) {
  DictionaryVector all;
  for (const Variable& p : parameters)
    all.push_back(Dictionary{{kUid, p.uid()}, {kKind, cat("'", p.name(), "' ", p.type().text())}});
  return Dictionary{{kUid, std::move(all)}}.to_bytes();
}

Parameters from_bytes(const std::string& bytes) {
  const Dictionary told = Dictionary::from_bytes(bytes);
  Parameters all;
  for (const DictionaryValue& v : told.at(kUid).as<DictionaryVector>()) {
    const Dictionary& d = v.as<Dictionary>();
    all.push_back({d.at(kUid).as<std::string>(), d.at(kKind).as<std::string>()});
  }
  return all;
}

// For each parameter of the main worker, the index of a worker's own.
std::vector<size_t> matched(const Parameters& main, const Parameters& own) {
  std::vector<size_t> order(own.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<size_t> by_uid;
  for (const Told& m : main) {
    const auto found = std::find_if(own.begin(), own.end(), [&](const Told& t) { return t.uid == m.uid; });
    if (found == own.end()) return order;
    by_uid.push_back(static_cast<size_t>(found - own.begin()));
  }
  return by_uid;
}

void check_order(const Parameters& main, const Parameters& other, const std::vector<size_t>& order,
                 size_t rank) {
  if (main.size() != other.size())
    throw value_error(cat("worker ", rank, " trains ", other.size(), " parameters, worker 0 ", main.size()))
        .remedy("give the learners of all workers the same parameters");
  for (size_t i = 0; i < main.size(); ++i)
    if (main[i].kind != other[order[i]].kind)
      throw value_error(cat("worker ", rank, " trains the parameter ", other[order[i]].kind,
                            " where worker 0 trains ", main[i].kind))
          .remedy("make the same network in all workers, and its parameters in the same order");
}

}  // namespace

std::vector<size_t> agree_on_order(Communicator& workers, std::span<const Variable> parameters) {
  std::vector<Parameters> all;
  for (const std::string& bytes : workers.gather(to_bytes(parameters), "list of parameters"))
    all.push_back(from_bytes(bytes));
  std::vector<size_t> own;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    const std::vector<size_t> order = matched(all[0], all[rank]);
    check_order(all[0], all[rank], order, rank);
    if (rank == static_cast<size_t>(workers.rank())) own = order;
  }
  return own;
}

}  // namespace cantik::distributed
