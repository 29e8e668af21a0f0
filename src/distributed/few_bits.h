// Few bits for each number of a gradient, with error feedback (Seide, Fu, Droppo, Li, Yu: 1-bit stochastic
// gradient descent, 2014). A column, as CNTK counts them, is a run of the last axis. Of a column u with one
// bit the bits u >= 0 go over the wire, and the means of the numbers on either side; with more bits the
// nearest of 2^bits levels between its least and its greatest number, and these two. The residue u - what
// these stand for is added to the next gradient.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <cantik/distributed.h>

namespace cantik::distributed {

class FewBits {
 public:
  // `bits`: 1, 2, 4, 8 or 16.
  FewBits(Communicator& communicator, int bits);
  ~FewBits();

  // Gradients become their sums over the workers, as far as the bits tell them.
  void sum(std::span<const Tensor> gradients);
  Dictionary state() const;
  void restore(const Dictionary& d);

 private:
  template <class T>
  void sum(std::span<const Tensor> gradients, std::vector<Tensor>& residues, Tensor& of_stripe);
  Communicator& communicator_;
  int bits_;
  std::vector<Tensor> residues_;  // of this worker's gradients
  Tensor stripe_residue_[2];      // of the sums that this worker makes: float32, float64
};

}  // namespace cantik::distributed
