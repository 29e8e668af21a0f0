// Walks, tables, pictures, profiles, the registry and the compiler's reports, as programs see them.
#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

struct Model {
  Variable x = input({3}, {.name = "x"});
  Function z = layers::sequential({layers::dense(4, {.name = "one"}), layers::dense(2, {.name = "two"})})(x);
};
Feeds data(const Model& m) { return {{m.x, Value::batch<float>({1, 3}, std::vector<float>{1, 2, 3})}}; }

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Inspect, walks_into_blocks_as_deep_as_asked) {
  const Model m;
  auto names = [&](int depth) {
    std::vector<std::string> list;
    for (const GraphNode& n : walk(m.z, depth))
      list.push_back(n.function ? n.function.op_name() : n.leaf.name());
    return list;
  };
  const std::vector<std::string> closed = names(0), open = names(-1);
  EXPECT_EQ(closed.front(), "Dense");
  EXPECT_EQ(std::count(closed.begin(), closed.end(), "Times"), 0);
  EXPECT_EQ(std::count(open.begin(), open.end(), "Times"), 2);
  EXPECT_EQ(std::count(open.begin(), open.end(), "x"), 1);
  EXPECT_EQ(functions_of(m.z).size(), 2u);
  EXPECT_EQ(find_nodes(m.z, "one").size(), 1u);
  EXPECT_TRUE(find_nodes(m.z, "nobody").empty());
  EXPECT_EQ(find_nodes(m.z, "W").size(), 2u);
  const std::optional<GraphNode> found = find_by_uid(m.z, m.x.uid());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->leaf == m.x);
  EXPECT_FALSE(find_by_uid(m.z, "nobody"));
  EXPECT_THROW(walk(Function()), Error);
}

TEST(Inspect, attributes_and_arguments_as_in_files) {
  const Variable a = input({2}, {.name = "a"}), b = input({2, 3}, {.name = "b"});
  const Function f = times(a, b).as_composite();
  EXPECT_EQ(f.arguments()[0].name(), "a");
  EXPECT_EQ(arguments_in_file_order(f)[0].name(), "b");
  const std::optional<Dictionary> attributes = file_attributes(f.root());
  ASSERT_TRUE(attributes);
  EXPECT_TRUE(attributes->contains("outputRank"));
  EXPECT_FALSE(file_attributes(f));
  EXPECT_EQ(further_attributes(f.root()).size(), 0u);
}

TEST(Inspect, summary_of_a_network) {
  const Model m;
  const NetworkSummary s = summary(m.z);
  EXPECT_EQ(s.parameters, 3 * 4 + 4 + 4 * 2 + 2);
  EXPECT_EQ(s.tensors, 4);
  ASSERT_EQ(s.rows.size(), 2u);
  EXPECT_EQ(s.rows[0].name, "one");
  EXPECT_EQ(s.rows[1].parameters, 10);
  EXPECT_EQ(s.text(),
            "name  operator  output  parameters\n"
            "----------------------------------\n"
            "x               3\n"
            "one   Dense     4               16\n"
            "two   Dense     2               10\n"
            "----------------------------------\n"
            "26 parameters in 4 tensors");
  // a parameter that two functions share counts once
  const Variable w = parameter({1000, 3}, Initializer(0.0)), y = input({1000});
  const NetworkSummary shared = summary(plus(times(y, w), times(y, w)));
  EXPECT_EQ(shared.parameters, 3000);
  EXPECT_TRUE(contains(shared.text(), "3,000 parameters in 1 tensors"));
}

TEST(Inspect, pictures) {
  const Variable x = input({2}, {.name = "a \"b\"\n\\"});
  const Function f = exp(x, "e");
  const std::string dot = plot_dot(f), text = plot_text(f);
  EXPECT_TRUE(contains(text, "Exp(" + x.uid() + ") -> " + f.output().uid() + ";\n"));
  EXPECT_TRUE(contains(dot, "[label=\"a \\\"b\\\"\\n\\\\\\n[#, 2]\", shape=ellipse")) << dot;
  EXPECT_TRUE(contains(dot, "\"" + x.uid() + "\" -> \"" + f.root().uid() + "\";"));
}

TEST(Inspect, pictures_in_mermaids_language) {
  const Variable x = input({2}, {.name = "a \"b\"\n#"});
  const Function f = tanh(exp(x, "e"));
  EXPECT_EQ(plot_mermaid(f),
            "flowchart TB\n"
            "  n0[\"e<br>Exp\"]\n"
            "  n1([\"a #34;b#34;<br>#35;<br>[#35;, 2]\"])\n"
            "  n1 --> n0\n"
            "  n2[\"Tanh\"]\n"
            "  n0 -- \"[#35;, 2]\" --> n2\n");
}

TEST(Inspect, cost) {
  const Variable x = input({3}), w = parameter({3, 4}, Initializer(0.0));
  const NetworkCost found = cost(exp(times(x, w)));
  EXPECT_EQ(found.operations, 2 * 3 * 4 + 4);
  EXPECT_EQ(found.parameter_bytes, 3 * 4 * 4);
  EXPECT_EQ(found.value_bytes, 2 * 4 * 4);
  ASSERT_EQ(found.operators.size(), 2u);
  EXPECT_EQ(found.operators[0].op_name, "Times");
  EXPECT_EQ(found.operators[0].functions, 1);
  EXPECT_EQ(found.operators[0].operations, 24);
  // of sparse rows a number each, whatever their width is
  EXPECT_EQ(cost(times(input({1000}, {.sparse = true}), parameter({1000, 4}, Initializer(0.0)))).operations,
            8);
  // several inner axes: [2, 3, 4] . [3, 4, 5]
  const Variable left = input({2, 3, 4}), right = parameter({3, 4, 5}, Initializer(0.0));
  EXPECT_EQ(cost(times(left, right)).operations, 2 * 2 * 12 * 5);
  EXPECT_EQ(cost(reduce_sum(left)).operations, 24);
  EXPECT_EQ(cost(reshape(x, {.shape = {3, 1}})).operations, 0);
  // what is inside a block counts; a size that is not known counts for nothing
  EXPECT_EQ(cost(layers::dense(4, {.bias = false})(x)).operations, 24);
  EXPECT_EQ(cost(exp(input({kFree}))).operations, 0);
}

TEST(Profile, records_while_it_is_asked_to) {
  const Model m;
  m.z.eval(data(m));
  Profile profile;
  m.z.eval(data(m));
  profile.pause();
  const size_t count = profile.events().size();
  EXPECT_GT(count, 0u);
  EXPECT_GT(profile.memory(), 0u);
  EXPECT_GT(profile.kept().bytes, 0u);
  m.z.eval(data(m));
  EXPECT_EQ(profile.events().size(), count);
  profile.resume();
  profile.resume();
  m.z.eval(data(m));
  EXPECT_EQ(profile.events().size(), 2 * count);
  int64_t calls = 0, longest = INT64_MAX;
  for (const ProfileRow& r : profile.rows()) {
    calls += r.calls;
    EXPECT_LE(r.nanoseconds, longest);
    longest = r.nanoseconds;
  }
  EXPECT_EQ(calls, static_cast<int64_t>(2 * count));
  EXPECT_TRUE(contains(profile.table(), "memory at its peak"));
  EXPECT_TRUE(profile.trace().starts_with("{\"traceEvents\": [{\"name\": \""));
}

TEST(Profile, several_at_once) {
  const Model m;
  Profile outer;
  {
    Profile inner;
    m.z.eval(data(m));
    EXPECT_FALSE(inner.events().empty());
  }
  const size_t count = outer.events().size();
  m.z.eval(data(m));
  EXPECT_GT(outer.events().size(), count);
}

TEST(Profile, times_of_functions) {
  const Model m;
  time_functions(true);
  m.z.eval(data(m));
  time_functions(false);
  const std::vector<NodeTime> times = function_times();
  EXPECT_FALSE(times.empty());
  m.z.eval(data(m));
  EXPECT_EQ(function_times().size(), times.size());
  for (const NodeTime& t : times) EXPECT_TRUE(find_by_uid(m.z, t.uid, -1) && !t.kernel.empty()) << t.uid;
  time_functions(true);
  time_functions(false);
  EXPECT_TRUE(function_times().empty());
}

TEST(Operators, describe_themselves) {
  const OperatorInfo& clip = operator_info("clip");
  EXPECT_EQ(clip.name, "clip");
  EXPECT_GT(operators().size(), 100u);
  const std::vector<const OperatorInfo*> all = operators();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [](auto* a, auto* b) { return a->name < b->name; }));
  const OperatorInfo& dropout = operator_info("dropout");
  ASSERT_GE(dropout.field("dropout_rate"), 0);
  EXPECT_TRUE(dropout.fields[static_cast<size_t>(dropout.field("dropout_rate"))].live);
  EXPECT_EQ(dropout.field("nothing"), -1);
  EXPECT_EQ(dropout.named("cntk"), "Dropout");
  EXPECT_EQ(dropout.named("nobody's"), "");
  EXPECT_THROW(operator_info("dropuot"), Error);
  EXPECT_EQ(wrong_attribute(dropout, dropout.fields[0], "'a'").kind(), ErrorKind::type);
}

TEST(Compiler, reports_each_pass) {
  const Model m;
  const std::vector<PassReport> reports = pass_reports(m.z);
  EXPECT_EQ(reports.front().name, "import");
  EXPECT_GT(reports.size(), 5u);
  EXPECT_FALSE(reports.back().text.empty());
  EXPECT_NE(pass_reports(reduce_sum(m.z), m.z.parameters()).back().text, reports.back().text);
  const std::vector<std::string> names = pass_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "fuse"), names.end());
  EXPECT_THROW(switch_pass("nonsense", false), Error);
}

}  // namespace
