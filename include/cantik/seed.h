// One seed for all that a program draws at random without naming a seed: first values of parameters, dropout
// and its like, learners with noise.
//
//   set_seed(1);                              // before the network is made
//   Function z = layers::dense({10})(x);      // its numbers repeat from run to run, other layers have others
#pragma once

#include <cstdint>

#include <cantik/api.h>

namespace cantik {

class Function;

// Where automatic seeds come from. CNTK has the first two kinds.
struct SeedSource {
  // How a seed is made.
  enum class Kind : uint8_t {
    counted,  // the number of requests so far; of several workers each has its own
    fixed,    // one number for every request: parameters of one shape have the same first values
    drawn     // another number for each request, which follows from the seed and the number of requests
  };
  // counted unless the program says otherwise
  Kind kind = Kind::counted;
  // the number of a fixed source, and where a drawn one begins
  uint64_t seed = 0;
  // requests so far; a counted source may begin anywhere
  uint64_t count = 0;
};

// From now on all that is made gets a seed of its own that follows from this one and the order: a program
// that begins with it repeats bit for bit, with any number of threads.
CANTIK_API void set_seed(uint64_t seed);
// Where seeds come from now.
CANTIK_API SeedSource seed_source();
// Seeds come from there on: what seed_source() gave before, to go back to it.
CANTIK_API void set_seed_source(const SeedSource& source);
// As set_seed(), but every request gets this number (CNTK's).
CANTIK_API void set_fixed_random_seed(uint64_t seed);
// Seeds are counted from this number on (CNTK's).
CANTIK_API void reset_random_seed(uint64_t counter);
// The number of a counted source, else the seed.
CANTIK_API uint64_t random_seed();
// Whether every request gets the same number.
CANTIK_API bool is_random_seed_fixed();

// The seed of the next request.
CANTIK_API uint64_t next_seed();
// The same of functions that draw other numbers on each worker.
CANTIK_API uint64_t next_worker_seed(uint64_t workers, uint64_t rank);
// What a network has not drawn yet gets new automatic seeds, in the order of the network: parameters whose
// first values nobody has asked for, and functions that draw (dropout). Seeds that the program has named
// stay.
CANTIK_API void draw_seeds(const Function& network);

}  // namespace cantik
