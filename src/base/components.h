// Strongly connected components of a graph: what reads one another, in cycles.
//
// R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1972; without recursion, for
// graphs may be deep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <vector>

#include "base/id.h"

namespace cantik {

// Of all that the roots reach. `operands(i)` gives the nodes that node i reads, as a vector; it is asked once
// for each, and nodes are numbers or ids that may become known on the way. Components come after those that
// they read.
template <class Roots, class Operands>
auto components(const Roots& roots, Operands&& operands) {
  using Node = std::ranges::range_value_t<Roots>;
  struct Place {
    int32_t order = -1, low = 0;
    bool open = false;
  };
  struct Level {
    Node node;
    std::vector<Node> in;
    size_t next = 0;
  };
  std::vector<Place> places;
  std::vector<Level> path;
  std::vector<Node> open;
  std::vector<std::vector<Node>> found;
  int32_t count = 0;
  auto place = [&](Node n) -> Place& {
    const size_t i = index_of(n);
    if (i >= places.size()) places.resize(i + 1);
    return places[i];
  };
  auto enter = [&](Node i) {
    place(i) = {count, count, true};
    ++count;
    open.push_back(i);
    path.push_back({i, operands(i)});
  };
  auto lower = [&](Node i, int32_t low) { place(i).low = std::min(place(i).low, low); };
  for (Node root : roots) {
    if (place(root).order >= 0) continue;
    enter(root);
    while (!path.empty()) {
      Level& at = path.back();
      const Node node = at.node;
      if (at.next < at.in.size()) {
        const Node in = at.in[at.next++];
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
