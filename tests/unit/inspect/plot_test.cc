// Pictures of networks, in three languages.
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

bool plot_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Plot, in_words_and_for_graphviz) {
  const Variable x = input({2}, {.name = "a \"b\"\n\\"});
  const Function f = exp(x, "e");
  const std::string dot = plot_dot(f), text = plot_text(f);
  EXPECT_TRUE(plot_contains(text, "Exp(" + x.uid() + ") -> " + f.output().uid() + ";\n"));
  EXPECT_TRUE(plot_contains(dot, "[label=\"a \\\"b\\\"\\n\\\\\\n[#, 2]\", shape=ellipse")) << dot;
  EXPECT_TRUE(plot_contains(dot, "\"" + x.uid() + "\" -> \"" + f.root().uid() + "\";"));
}

TEST(Plot, constants_of_blocks_are_their_own) {
  const Variable x = input({2}, {.axes = Axes::sequence()});
  const Function f = sequence::last(x);
  EXPECT_EQ(plot_text(f), "Sequence::Slice(" + x.uid() + ") -> " + f.output().uid() + ";\n");
  const Function g = element_max(x, constant({}, Initializer(1.0)));
  EXPECT_EQ(plot_text(g), "ElementMax(" + x.uid() + ", ) -> " + g.output().uid() + ";\n");
}

TEST(Plot, for_mermaid) {
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

}  // namespace
