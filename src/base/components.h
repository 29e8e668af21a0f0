// Strongly connected components of a graph: what reads one another, in cycles.
//
// R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1972; without recursion, for
// graphs may be deep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace cantik {

// Of all that the roots reach. `operands(i)` gives the nodes that node i reads, as a vector; it is asked once
// for each, and nodes are numbers that may become known on the way. Components come after those that they
// read.
template <class Operands>
std::vector<std::vector<int32_t>> components(std::span<const int32_t> roots, Operands&& operands) {
  struct Place {
    int32_t order = -1, low = 0;
    bool open = false;
  };
  struct Level {
    int32_t node;
    std::vector<int32_t> in;
    size_t next = 0;
  };
  std::vector<Place> places;
  std::vector<Level> path;
  std::vector<int32_t> open;
  std::vector<std::vector<int32_t>> found;
  int32_t count = 0;
  auto place = [&](int32_t i) -> Place& {
    if (static_cast<size_t>(i) >= places.size()) places.resize(static_cast<size_t>(i) + 1);
    return places[static_cast<size_t>(i)];
  };
  auto enter = [&](int32_t i) {
    place(i) = {count, count, true};
    ++count;
    open.push_back(i);
    path.push_back({i, operands(i)});
  };
  auto lower = [&](int32_t i, int32_t low) { place(i).low = std::min(place(i).low, low); };
  for (int32_t root : roots) {
    if (place(root).order >= 0) continue;
    enter(root);
    while (!path.empty()) {
      Level& at = path.back();
      const int32_t node = at.node;
      if (at.next < at.in.size()) {
        const int32_t in = at.in[at.next++];
        if (place(in).order < 0)
          enter(in);
        else if (place(in).open)
          lower(node, place(in).order);
        continue;
      }
      path.pop_back();
      if (!path.empty()) lower(path.back().node, place(node).low);
      if (place(node).low != place(node).order) continue;
      auto& component = found.emplace_back();
      do {
        component.push_back(open.back());
        place(open.back()).open = false;
        open.pop_back();
      } while (component.back() != node);
    }
  }
  return found;
}

}  // namespace cantik
