// What forward_backward takes for labels.
#include <cantik/op.h>

using namespace cantik;

CANTIK_OP(labels_to_graph) {
  op.signature("labels_to_graph(labels, name='')")
      .doc(
          "Labels as the graph that forward_backward reads: the same numbers. labels has a class for each "
          "step: 2 at the place of the class in the step where a label begins, 1 in "
          "those where it goes on, 0 at all other places.")
      .traits(CANTIK_NO_GRADIENT)
      .expression([](Real labels) { return labels; })
      .cntk("LabelsToGraph", 63)
      .sample({{4}});
}
