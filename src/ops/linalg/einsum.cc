// Sums of products by letters of axes (Einstein 1916): products of matrices where two operands share a letter
// that is summed over, elementwise products where they share none.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include <cantik/op.h>

using namespace cantik;

namespace {

struct Einsum {
  std::string equation;
  static constexpr auto fields() {
    return list(field("equation", &Einsum::equation,
                      "a letter for each axis of a sample, operands separated by commas: 'ij,jk->ik'"));
  }
};

struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

// The letters of a value, in the order of its axes.
struct Lettered {
  Term term;
  std::string letters;
};

bool has(const std::string& letters, char letter) { return letters.find(letter) != std::string::npos; }

Failure wrong(const Einsum& a, const std::string& why, const std::string& remedy) {
  return value_failure("the equation '" + a.equation + "' " + why, remedy);
}

// Without an arrow, the result has the letters that occur once, in the order of the alphabet.
std::string letters_once(const std::vector<std::string>& operands) {
  std::map<char, int> count;
  for (const std::string& letters : operands)
    for (char c : letters) ++count[c];
  std::string once;
  for (const auto& [letter, times] : count)
    if (times == 1) once += letter;
  return once;
}

void check_result(const Einsum& a, const Equation& e) {
  for (char c : e.result) {
    if (std::count(e.result.begin(), e.result.end(), c) > 1)
      throw wrong(a, std::string("has the letter ") + c + " twice in its result", "name each axis once");
    if (std::none_of(e.operands.begin(), e.operands.end(), [&](const std::string& s) { return has(s, c); }))
      throw wrong(a, std::string("has the letter ") + c + " in its result alone",
                  "take letters of the operands");
  }
}

Equation parse(const Einsum& a, int operands) {
  std::string text;
  for (char c : a.equation)
    if (c != ' ') text += c;
  const size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  Equation e;
  e.operands.emplace_back();
  for (char c : left + (arrow == std::string::npos ? "" : text.substr(arrow + 2))) {
    if (c == '.')
      throw wrong(a, "has dots", "leave them out: the axes of the batch and of sequences have no letters");
    if (c != ',' && !std::isalpha(static_cast<unsigned char>(c)))
      throw wrong(a, std::string("has the character ") + c, "use letters, commas and one arrow, ->");
  }
  for (char c : left) {
    if (c == ',')
      e.operands.emplace_back();
    else
      e.operands.back() += c;
  }
  e.result = arrow == std::string::npos ? letters_once(e.operands) : text.substr(arrow + 2);
  if (has(e.result, ',')) throw wrong(a, "has a comma behind its arrow", "name one result");
  if (static_cast<int>(e.operands.size()) != operands)
    throw wrong(a,
                "has " + std::to_string(e.operands.size()) + " operands, but " + std::to_string(operands) +
                    " are given",
                "separate the letters of operands by commas");
  check_result(a, e);
  return e;
}

// The graph of one equation. Sizes of letters may be open: each run compares them.
class Sums {
 public:
  Sums(Builder& b, const Einsum& a) : b_(b), attributes_(a), equation_(parse(a, b.inputs())) {}

  Term result() {
    std::vector<Lettered> left = operands();
    while (left.size() > 1) {
      const Lettered x = alone(left, 0), y = alone(left, 1);
      left.erase(left.begin(), left.begin() + 2);
      left.insert(left.begin(), pair(x, y, left));
    }
    const Lettered last = alone(left, 0);
    return in_order(last, equation_.result).term;
  }

 private:
  std::vector<Lettered> operands() {
    std::vector<Lettered> all;
    for (int i = 0; i < b_.inputs(); ++i) {
      const std::string& letters = equation_.operands[i];
      const Shape shape = b_.x(i).shape();
      if (shape.rank() != static_cast<int>(letters.size()))
        throw wrong(attributes_,
                    "has " + std::to_string(letters.size()) + " letters for operand " + std::to_string(i) +
                        ", which has the shape " + shape.text(),
                    "give each axis a letter; the axes of the batch and of sequences have none");
      for (int k = 0; k < shape.rank(); ++k) meet(letters[k], shape[k]);
      all.push_back({b_.x(i), letters});
    }
    return all;
  }

  void meet(char letter, int64_t size) {
    const auto [known, is_new] = sizes_.emplace(letter, size);
    if (known->second < 0) known->second = size;
    if (!is_new && size >= 0 && known->second != size)
      throw shape_failure(std::string("the axis ") + letter + " has the sizes " +
                              std::to_string(known->second) + " and " + std::to_string(size),
                          "give operands that agree where they share a letter");
  }

  // Operand i, with each letter once, and summed over the letters that nothing else has.
  Lettered alone(const std::vector<Lettered>& all, size_t i) {
    Lettered x = all[i];
    for (size_t k = 0; k < x.letters.size();) {
      const size_t again = x.letters.find(x.letters[k], k + 1);
      if (again == std::string::npos)
        ++k;
      else
        x = diagonal(x, k, again);
    }
    for (char c : std::string(x.letters)) {
      bool wanted = has(equation_.result, c);
      for (size_t k = 0; k < all.size(); ++k) wanted = wanted || (k != i && has(all[k].letters, c));
      if (!wanted) x = summed(x, x.letters.find(c));
    }
    return x;
  }

  Lettered summed(const Lettered& x, size_t axis) {
    Lettered y{b_.call("reduce_elements", {x.term},
                       {{"axis", static_cast<int64_t>(axis)}, {"reduction", "Sum"}, {"keepdims", false}}),
               x.letters};
    y.letters.erase(axis, 1);
    return y;
  }

  // Two axes of one letter become one: what does not lie on the diagonal is multiplied by zero.
  Lettered diagonal(const Lettered& x, size_t first, size_t second) {
    std::vector<int64_t> perm;
    std::string letters;
    for (size_t k = 0; k < x.letters.size(); ++k)
      if (k != first && k != second) perm.push_back(static_cast<int64_t>(k)), letters += x.letters[k];
    perm.push_back(static_cast<int64_t>(first));
    perm.push_back(static_cast<int64_t>(second));
    const char letter = x.letters[first];
    const int64_t size = sizes_.at(letter);
    if (size < 0)
      throw shape_failure(std::string("the size of the axis ") + letter +
                              ", along which a diagonal lies, is " + "not known before a run",
                          "give the operand a shape of numbers");
    Term turned = transposed(x.term, perm);
    Term ones = b_.call("eye_like", {b_.constant(1, x.term, Shape{size, size})}, {{"sparse_output", false}});
    return summed({turned * ones, letters + letter + letter}, letters.size() + 1);
  }

  Term transposed(Term x, const std::vector<int64_t>& perm) {
    return std::is_sorted(perm.begin(), perm.end()) ? x : b_.call("transpose", {x}, {{"perm", perm}});
  }

  Lettered in_order(const Lettered& x, const std::string& letters) {
    std::vector<int64_t> perm;
    for (char c : letters) perm.push_back(static_cast<int64_t>(x.letters.find(c)));
    return {transposed(x.term, perm), letters};
  }

  // The axes from `begin` on, `count` of them, in another shape.
  Term reshaped(Term x, const Shape& shape, size_t begin, size_t count) {
    const auto first = static_cast<int64_t>(begin), end = static_cast<int64_t>(begin + count);
    return b_.call("reshape", {x}, {{"shape", shape}, {"begin_axis", first}, {"end_axis", end}});
  }
  Term with_ones(Term x, size_t begin, size_t count) {
    return count == 0 ? x : reshaped(x, Shape(std::vector<int64_t>(count, 1)), begin, 0);
  }
  // So many letters as one axis; none are an axis of size 1.
  Term as_one(Term x, size_t begin, size_t count) {
    return count == 1 ? x : reshaped(x, Shape{count == 0 ? 1 : kInferred}, begin, count);
  }
  int64_t open_sizes(const std::string& letters) const {
    return std::ranges::count_if(letters, [&](char c) { return sizes_.at(c) < 0; });
  }
  // The way back.
  Term apart(Term x, size_t axis, const std::string& letters) {
    if (letters.size() == 1) return x;
    Shape shape;
    for (char c : letters) shape.push_back(sizes_.at(c) < 0 ? kInferred : sizes_.at(c));
    if (open_sizes(letters) > 1)
      throw shape_failure(
          "the axes " + letters + " stay side by side, and their sizes are not known before a run",
          "give the operands shapes of numbers");
    return reshaped(x, shape, axis, 1);
  }

  // The product of two operands, summed over the letters that nothing reads any more.
  Lettered pair(Lettered x, Lettered y, const std::vector<Lettered>& rest) {
    // the second operand of a product is fastest where it has no batch: weights
    if (!x.term.type().has_batch() && y.term.type().has_batch()) std::swap(x, y);
    std::string stack, inner, of_x, of_y;
    for (char c : x.letters) {
      const bool later = has(equation_.result, c) ||
                         std::any_of(rest.begin(), rest.end(), [&](auto& r) { return has(r.letters, c); });
      (!has(y.letters, c) ? of_x : later ? stack : inner) += c;
    }
    for (char c : y.letters)
      if (!has(x.letters, c)) of_y += c;
    const std::string made = stack + of_x + of_y;
    const size_t front = stack.size();
    if (inner.empty()) {
      const Term a = with_ones(in_order(x, stack + of_x).term, front + of_x.size(), of_y.size());
      const Term b = with_ones(in_order(y, stack + of_y).term, front, of_x.size());
      return {a * b, made};
    }
    // [stack..., rows, between] times [stack..., between, columns]
    Term a = in_order(x, stack + of_x + inner).term, b = in_order(y, stack + inner + of_y).term;
    a = as_one(as_one(a, front + of_x.size(), inner.size()), front, of_x.size());
    b = as_one(as_one(b, front + inner.size(), of_y.size()), front, inner.size());
    if (stack.empty()) return {apart(apart(b_.call("times", {a, b}), 1, of_y), 0, of_x), made};
    // One axis of a stack is quicker than several. It has to come apart again.
    const bool merges = front > 1 && open_sizes(stack) <= 1;
    if (merges) a = as_one(a, 0, front), b = as_one(b, 0, front);
    const size_t row = merges ? 1 : front;
    const Term sums = apart(apart(b_.call("linalg_matmul", {a, b}), row + 1, of_y), row, of_x);
    return {merges ? apart(sums, 0, stack) : sums, made};
  }

  Builder& b_;
  const Einsum& attributes_;
  Equation equation_;
  std::map<char, int64_t> sizes_;
};

}  // namespace

namespace {

// ONNX's equation has letters for all axes. A batch that all operands with one and the result have as their
// first letter stays a batch; three dots are letters of their own, from behind.
std::string spelled(OnnxNode& n, const std::string& equation, std::vector<Term>& operands) {
  std::string text;
  for (char c : equation)
    if (c != ' ') text += c;
  std::vector<std::string> parts(1);
  const size_t arrow = text.find("->");
  for (char c : text.substr(0, arrow)) c == ',' ? parts.emplace_back() : parts.back() += c;
  if (parts.size() != operands.size()) throw value_failure("the equation " + text + " has other operands");
  if (arrow != std::string::npos) parts.push_back(text.substr(arrow + 2));
  std::string spare;
  for (char c = 'A'; c <= 'Z'; ++c)
    if (!has(text, c)) spare += c;
  size_t most = 0;  // axes that dots stand for
  for (size_t i = 0; i < operands.size(); ++i)
    if (parts[i].find("...") != std::string::npos)
      most = std::max(most, static_cast<size_t>(n.rank(operands[i])) + 3 - parts[i].size());
  if (most > spare.size()) OnnxNode::refuse("three dots stand for too many axes");
  for (size_t i = 0; i < parts.size(); ++i) {
    const size_t dots = parts[i].find("...");
    if (dots == std::string::npos) continue;
    const size_t count =
        i < operands.size() ? static_cast<size_t>(n.rank(operands[i])) + 3 - parts[i].size() : most;
    parts[i].replace(dots, 3, spare.substr(most - count, count));
  }
  if (arrow == std::string::npos) {
    const bool dots = text.find("...") != std::string::npos;
    std::string once = letters_once(parts);
    if (dots) {
      const std::string all = spare.substr(0, most);
      once.erase(std::remove_if(once.begin(), once.end(), [&](char c) { return has(all, c); }), once.end());
      once = all + once;
    }
    parts.push_back(once);
  }
  const char letter = parts.back().empty() ? ' ' : parts.back()[0];
  bool batch = std::any_of(operands.begin(), operands.end(), [&](const Term& t) { return n.lead(t) > 0; });
  for (size_t i = 0; i < operands.size(); ++i) {
    const int lead = n.lead(operands[i]);
    batch = batch && lead < 2 && parts[i].rfind(letter) == (lead == 1 ? 0 : std::string::npos);
  }
  std::string made;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_operand = i < operands.size();
    const bool drop = batch && (!is_operand || n.lead(operands[i]) == 1);
    if (is_operand && !batch) operands[i] = n.plain(operands[i]);
    made += (i == 0 ? "" : is_operand ? "," : "->") + parts[i].substr(drop ? 1 : 0);
  }
  return made;
}

}  // namespace

CANTIK_OP(einsum) {
  op.attributes<Einsum>("einsum(equation, *operands, name='')")
      .doc(
          "Sums of products: each axis of a sample has a letter, and what the result does not name is summed "
          "over. 'ij,jk->ik' is a product of matrices, 'ij->ji' a transposition, 'ij,ij->i' a product row "
          "by row, 'ii->i' a diagonal. Without an arrow the result has the letters that occur once, in the "
          "order of the alphabet. The axes of the batch and of sequences have no letters: they stay.")
      .composite([](Builder& b, const Einsum& a) { b.result(Sums(b, a).result()); })
      .onnx_read("Einsum",
                 [](OnnxNode& n) {
                   std::vector<Term> operands = n.all();
                   const std::string equation = spelled(n, n.text("equation", ""), operands);
                   n.result(n.call_all("einsum", operands, {{"equation", equation.c_str()}}, 1)[0]);
                 })
      .sample({{2, 3}, {3, 4}}, {.equation = "ij,jk->ik"})
      .sample({{2, 3, 4}, {2, 4, 2}}, {.equation = "bij,bjk->bki"})
      .sample({{3}, {2}}, {.equation = "i,j"})
      .sample({{3, 2, 3}}, {.equation = "iji->ij"})
      .sample({{2, 3}, {3, 2}, {2}}, {.equation = "ij,jk,k->i"});
}
