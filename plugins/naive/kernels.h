// The kernels, by what they compute.
#pragma once

#include <cantik/op/backend.h>

namespace naive {

void maps(cantik::BackendKernels& k);         // elementwise expressions, and sums along broadcast axes
void moving(cantik::BackendKernels& k);       // numbers moved about in a row
void lines(cantik::BackendKernels& k);        // softmax and its relatives, reductions
void products(cantik::BackendKernels& k);     // of matrices, of sparse rows
void convolution(cantik::BackendKernels& k);  // and its two relatives
void pooling(cantik::BackendKernels& k);
void losses(cantik::BackendKernels& k);
void sequences(cantik::BackendKernels& k);  // steps moved, and summed

}  // namespace naive
