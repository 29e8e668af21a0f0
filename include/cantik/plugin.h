/* The plain-C boundary between Cantik and operator libraries. User code includes op.h, which wraps this in
 * C++.
 *
 * A library exports `cantik_library`. Everything crosses as C structs, flat arrays, and status codes with
 * text. Memory belongs to who made it: the host copies what it keeps, and gives back kernel states through
 * their `release`.
 *
 * What was built once loads for ever. Numbers and meanings never change; structs that begin with their size
 * grow at their end, the others never; new fields, opcodes and traits raise CANTIK_ABI_REVISION. A library
 * carries the version that it was built with as a text, which is read before any of its code runs: a host
 * takes libraries of its own version and of earlier revisions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CANTIK_ABI_VERSION 1
#define CANTIK_ABI_REVISION 2

#define CANTIK_ABI_MARK \
  "cantik_operators_abi=" /* in a library's file, with version, dot and revision behind it */
#define CANTIK_ABI_TEXT_(version, revision) CANTIK_ABI_MARK #version "." #revision
#define CANTIK_ABI_TEXT(version, revision) CANTIK_ABI_TEXT_(version, revision)

typedef int cantik_status; /* 0: fine; otherwise a cantik_failure, with its text given to the context */
/* What went wrong; decides the class of the error that a user sees. */
enum cantik_failure {
  CANTIK_OK = 0,
  CANTIK_VALUE = 1,
  CANTIK_RUNTIME = 2,
  CANTIK_SHAPE = 3,
  CANTIK_TYPE = 4,
  CANTIK_KEY = 5,
  CANTIK_UNSUPPORTED = 6,
  CANTIK_NOT_YET = 7 /* a body asked for a shape that is not known yet: it is called again once it is */,
  CANTIK_MEMORY = 8
};

/* ---- attributes ---- */

/* Which member of cantik_attribute holds the value. */
enum cantik_kind {
  CANTIK_NONE,
  CANTIK_BOOL,
  CANTIK_INT,
  CANTIK_REAL,
  CANTIK_TEXT,
  CANTIK_INTS,
  CANTIK_REALS
};

/* The value of an attribute. */
typedef struct cantik_attribute {
  int32_t kind;
  int32_t count; /* of CANTIK_INTS and CANTIK_REALS */
  union {
    int64_t integer; /* CANTIK_BOOL and CANTIK_INT */
    double real;
    const char* text;
    const int64_t* integers;
    const double* reals;
  } as;
} cantik_attribute;

/* What an attribute means, where its kind alone does not say how it is printed and written to a file. There,
 * axes and shapes are those of CNTK's column-major order; an axis that is axis_code::kNone, an empty list
 * (but for a shape) and an attribute of kind CANTIK_NONE are not written at all. */
enum cantik_role {
  CANTIK_PLAIN, /* whole numbers as sizes, real ones as doubles; lists in the order given */
  CANTIK_AXIS,
  CANTIK_AXES, /* a list of axes, in the order given */
  CANTIK_SHAPE_OF,
  CANTIK_DTYPE,
  CANTIK_FLAGS,       /* a truth value for each axis */
  CANTIK_SIGNED,      /* whole numbers that may be negative */
  CANTIK_SEED,        /* 2^64 - 3: one is drawn when the function is made */
  CANTIK_PERMUTATION, /* one axis for each axis: turned round, as shapes are */
  CANTIK_SIZES,       /* a size for each axis: turned round, as shapes are */
  CANTIK_SINGLE,      /* real numbers that are kept as float32 */
  CANTIK_BOUNDARY, /* the place before a static axis of the first operand, counted as Python does; absent: the
                    * end of the shape. Written as rank - place */
  CANTIK_NEW_AXIS, /* the sequence axis that the result gets, by its number; axis_code::kBatch: the result is
                    * a batch. Absent: the type rule chooses it, and the function keeps what was chosen */
  CANTIK_LIST      /* whole numbers in a list that may be absent; the default is CANTIK_NONE */
};
enum cantik_field_flags { CANTIK_LIVE = 1 /* may change between runs without a new plan */ };

/* An attribute that an operator has. */
typedef struct cantik_field {
  size_t size;
  const char* name;
  const char* key; /* in CNTK's files; NULL: not written */
  const char* doc;
  int32_t role;
  uint32_t flags;
  cantik_attribute value; /* the default */
} cantik_field;

/* An attribute with its name, for a call of an operator. */
typedef struct cantik_argument { /* an attribute given by name */
  const char* name;
  cantik_attribute value;
} cantik_argument;

/* ---- types of values ---- */

/* The dynamic axes of a value: none, a batch, or a batch of sequences. */
enum cantik_axes { CANTIK_AXES_UNKNOWN = -1, CANTIK_NO_AXES = 0, CANTIK_BATCH = 1, CANTIK_SEQUENCE = 2 };
/* How numbers lie in memory. */
enum cantik_storage { CANTIK_DENSE = 0, CANTIK_CSR = 1, CANTIK_ROW_SPARSE = 2 };

/* The type of a value, as far as it is known. */
typedef struct cantik_type {
  size_t size;
  int32_t dtype;         /* 0: not known yet */
  int32_t rank;          /* -1: not known yet */
  const int64_t* dims;   /* row-major; -1 inferred, -3 free */
  int32_t axes;          /* enum cantik_axes */
  int32_t storage;       /* enum cantik_storage */
  int64_t sequence_axis; /* which one, when axes is CANTIK_SEQUENCE */
  int64_t entries;       /* of csr: at most so many in a row; 0: as many as there are elements */
} cantik_type;

/* ---- scalar expressions ---- */

/* Opcodes are versioned by never changing: new ones are appended. */
enum cantik_opcode {
  CANTIK_X_INPUT = 0,
  CANTIK_X_ATTRIBUTE = 1,
  CANTIK_X_CONSTANT = 2,
  CANTIK_X_ADD = 10,
  CANTIK_X_SUB,
  CANTIK_X_MUL,
  CANTIK_X_DIV,
  CANTIK_X_MIN,
  CANTIK_X_MAX,
  CANTIK_X_POW,
  CANTIK_X_LT,
  CANTIK_X_LE,
  CANTIK_X_GT,
  CANTIK_X_GE,
  CANTIK_X_EQ,
  CANTIK_X_NE,
  CANTIK_X_LOG_ADD_EXP,
  CANTIK_X_NEG = 40,
  CANTIK_X_ABS,
  CANTIK_X_SQRT,
  CANTIK_X_FLOOR,
  CANTIK_X_CEIL,
  CANTIK_X_EXP,
  CANTIK_X_LOG,
  CANTIK_X_SIN,
  CANTIK_X_COS,
  CANTIK_X_TAN,
  CANTIK_X_ASIN,
  CANTIK_X_ACOS,
  CANTIK_X_ATAN,
  CANTIK_X_SINH,
  CANTIK_X_COSH,
  CANTIK_X_TANH,
  CANTIK_X_ASINH,
  CANTIK_X_ACOSH,
  CANTIK_X_ATANH,
  CANTIK_X_SIGMOID,
  CANTIK_X_SIGN,
  CANTIK_X_RECIPROCAL,
  CANTIK_X_SOFTPLUS,
  CANTIK_X_ERF,         /* since revision 2 */
  CANTIK_X_SELECT = 80, /* select(condition != 0, a, b) */
  CANTIK_X_FMA          /* a * b + c */
};

/* One operation of an expression. */
typedef struct cantik_code {
  int32_t op;
  int32_t arg[3]; /* earlier codes; arg[0] of INPUT and ATTRIBUTE is the index */
  double value;   /* of CONSTANT */
} cantik_code;

/* A scalar expression: operations in the order in which they are done. */
typedef struct cantik_expression {
  int32_t count;  /* 0: none */
  int32_t result; /* which code is the result */
  const cantik_code* code;
} cantik_expression;

/* ---- building graphs: bodies of composites and gradients ---- */

typedef int32_t cantik_value; /* a value of the graph being built; negative: none */

/* The graph that a body of a composite or a gradient builds: what the host gives, and the calls that add
 * to it. */
typedef struct cantik_builder {
  size_t size;
  void* self;
  int32_t inputs, outputs;
  const cantik_value* x;  /* the operator's inputs */
  const cantik_value* y;  /* its outputs (of gradients; of the body after gradients: for their types alone) */
  const cantik_value* dy; /* gradients of the outputs (gradients only); negative: that output has none */
  cantik_value* result;   /* to be set: outputs of a composite, or gradients of the inputs */
  const uint8_t* wanted;  /* of each input: whether its gradient is wanted (gradients only) */
  const cantik_attribute* attributes;
  int32_t training; /* bodies in training mode may differ */
  cantik_status (*call)(void* self, const char* op, const cantik_value* in, int32_t count,
                        const cantik_argument* arguments, int32_t argument_count, cantik_value* out,
                        int32_t out_count);
  cantik_status (*expression)(void* self, cantik_expression e, const cantik_value* in, int32_t count,
                              cantik_value* out);
  /* A constant of the element type of `like`, the same number everywhere. */
  cantik_status (*constant)(void* self, double value, cantik_value like, int32_t rank, const int64_t* dims,
                            const char* name, cantik_value* out);
  cantik_status (*type)(void* self, cantik_value v, cantik_type* out);
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* since revision 2: */
  cantik_value saved; /* of the gradient of an operator that saves: what it left; negative: nothing */
  int32_t reserved;
  /* The call of an operator whose results have the types of these values, written out; no type rule is
   * asked. A negative one, the last, is that of what the operator saves. */
  cantik_status (*call_like)(void* self, const char* op, const cantik_value* in, int32_t count,
                             const cantik_argument* arguments, int32_t argument_count,
                             const cantik_value* like, cantik_value* out, int32_t out_count);
  /* A value that is told further down, by `close`, and that value: what reads it closes a loop through a
   * delay. In bodies of composites alone; NULL elsewhere. */
  cantik_status (*later)(void* self, cantik_value* out);
  cantik_status (*close)(void* self, cantik_value place, cantik_value value);
} cantik_builder;

/* ---- type rules ---- */

/* The types that a type rule is asked about, and the calls that answer. */
typedef struct cantik_infer {
  size_t size;
  void* self;
  int32_t inputs, outputs;
  const cantik_type* in;
  const cantik_attribute* attributes;
  cantik_status (*set)(void* self, int32_t output, const cantik_type* type);
  cantik_status (*refine)(void* self, int32_t input, int32_t rank,
                          const int64_t* dims);             /* of a parameter or free input */
  cantik_status (*broadcast)(void* self, cantik_type* out); /* of all inputs, as NumPy does */
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* Sequence axes by their names: the same name, the same number. Of `axis` with something behind its name;
   * of an input, by what is computed there (known only while a graph is built). */
  cantik_status (*derived_axis)(void* self, int64_t axis, const char* suffix, int64_t* out);
  cantik_status (*named_axis)(void* self, const char* prefix, int32_t input, int64_t* out);
  /* since revision 2: a type whose free sizes, and number of rows, `sizes` of the operator tells in a run. */
  cantik_status (*set_late)(void* self, int32_t output, const cantik_type* type);
  /* An attribute is chosen by what is known now: the function, its copies and its file keep the value. */
  cantik_status (*settle)(void* self, const char* attribute, const cantik_attribute* value);
} cantik_infer;

/* ---- kernels ---- */

/* The rows of a value while a kernel runs. */
typedef struct cantik_operand {
  void* data; /* first element of row 0; of csr the values, NULL: all ones */
  int64_t rows;
  int64_t stride;         /* elements from row to row; 0: one row serves all */
  const int32_t* map;     /* row map, or NULL */
  const int64_t* offsets; /* of the sequences, [sequences + 1]; NULL without a sequence axis */
  int64_t sequences;
  const int64_t* starts;  /* csr: where the entries of each row start, [rows + 1] */
  const int32_t* columns; /* csr: their columns; row_sparse: which rows are there */
} cantik_operand;

/* What a run keeps for the operators that it calls, until it is over; then `release` frees it. */
typedef struct cantik_keeper {
  size_t size;
  void* self;
  /* By the kernel of an operator that saves: this object is for those that read what was saved. */
  void (*save)(void* self, void* object, void (*release)(void* object));
  /* By the kernel of an operator that reads what was saved: that object, NULL where none was; and that nobody
   * will ask for it again. */
  void* (*saved)(void* self);
  void (*let_go)(void* self);
  /* For later calls of the same function in this run: `sizes`, then its kernels. NULL: nothing was kept. */
  void (*keep)(void* self, void* object, void (*release)(void* object));
  void* (*kept)(void* self);
  /* A hold on memory of an operand or a result (trait CANTIK_LENDS): it stays as it is, beyond the run, until
   * it is given back. NULL: this memory does not stay. */
  void* (*borrow)(void* self, const void* data);
  void (*give_back)(void* hold);
} cantik_keeper;

/* One call of a kernel: operands, results and the units to do. */
typedef struct cantik_run {
  size_t size;
  const cantik_operand* in;
  const cantik_operand* out;
  const double* live; /* attributes as numbers, in the order of the fields (live ones may have changed) */
  void* scratch;      /* of the size that prepare asked for; one for each worker */
  int64_t begin, end; /* the units to do */
  int32_t accumulate; /* 1: add to the result instead of writing it (traits of sums over rows only) */
  int32_t training;
  void* draws;                 /* the node's stream of random numbers (trait draws only) */
  const cantik_keeper* keeper; /* since revision 2; NULL where the operator states nothing that it is for */
} cantik_run;

/* What is known when a kernel is made, and what the kernel sets. */
typedef struct cantik_prepare {
  size_t size;
  void* self;
  int32_t inputs, outputs;
  const cantik_type* in;
  const cantik_type* out;
  const cantik_attribute* attributes;
  void (*fail)(void* self, int32_t failure,
               const char* text); /* with CANTIK_UNSUPPORTED: why this kernel declines */
  cantik_expression
      epilogue; /* what is done to each element of the result, its input 0 (trait CANTIK_EPILOGUE) */
  int32_t epilogue_inputs; /* the last inputs are its inputs 1, 2, ... */
  /* set by the kernel: */
  void* state;
  void (*release)(void* state);
  cantik_status (*run)(const void* state, const cantik_run* run, char* error, size_t error_size);
  int64_t (*units)(const void* state, int64_t rows); /* NULL: a unit is a row of the first output */
  int64_t scratch_bytes;
  /* Of a result with an axis of its own (trait CANTIK_OWN_AXIS): the lengths of its sequences, asked for
   * right before `run`, and how many rows it has at most for each row and for each sequence of the first
   * operand. */
  cantik_status (*lengths)(const void* state, const cantik_run* run, int64_t* lengths, char* error,
                           size_t error_size);
  int64_t most_rows_per_row, most_rows_per_sequence;
  int64_t row_work; /* element operations for a row of the first output; 0: as many as a row has elements */
  const void*
      backend; /* since revision 2: the host's; whose kernel it is to be, NULL: of the host's memory */
  int64_t state_bytes; /* since revision 2: set by the kernel: what it keeps, for the budget of caches */
} cantik_prepare;

/* A way to compute an operator: `prepare` makes it for known types, or declines. */
typedef struct cantik_kernel {
  size_t size;
  const char* name;
  cantik_status (*prepare)(void* user, cantik_prepare* p);
  int32_t of_forms; /* since revision 2; 1: it is made of forms, which every backend may fill in; 0: it works
                       on rows in the host's memory */
  int32_t reserved;
} cantik_kernel;

/* ---- facts: what plans and files ask of an operator; zero where it says nothing ---- */

/* Which row of its first operand a row of a delay is. */
enum cantik_delay {
  CANTIK_NO_DELAY,
  CANTIK_PAST,   /* a row of the result is an earlier row of the first operand */
  CANTIK_FUTURE, /* a later one */
  CANTIK_BORDER  /* the rows of a state that stand in for those beyond the end of a sequence */
};

/* A pair of which the result may take the memory of the operand. */
typedef struct cantik_reuse {
  int32_t operand, result;
} cantik_reuse;

/* Which operand has the pixels of the result. Along the last axis but k, the pixel p of the result lies over
 * the position scale * p + shift of the operand; both are fractions, with a positive second number. */
typedef struct cantik_line {
  int64_t scale[2], shift[2];
} cantik_line;
/* What an operator is asked for its pixels with, and what it answers. */
typedef struct cantik_pixels {
  size_t size;
  void* self;
  int32_t inputs;
  const cantik_type* in;
  const cantik_attribute* attributes;
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* set by the operator: */
  int32_t operand;
  int32_t open;        /* 1: a size that it depends on is not known yet */
  cantik_line line[2]; /* begins as the identity */
} cantik_pixels;

/* Which operands and results are images: a bit each. Where the truth value `last` among the attributes is
 * true, they lie [pixels..., channels], otherwise [channels, pixels...]. The compiler turns it where that
 * saves turning images; `preferred`: wherever it can. */
typedef struct cantik_images {
  const char* last; /* NULL: the operator does not ask which way its images lie */
  uint32_t operands, results;
  int32_t preferred;
  int32_t reserved;
} cantik_images;

/* What is a part of what, along one static axis. */
enum cantik_parts {
  CANTIK_NO_PARTS,
  CANTIK_TAKES_PART, /* the result is a part of the first operand */
  CANTIK_PUTS_PART,  /* the first operand is a part of the result, which is zero elsewhere */
  CANTIK_JOINS_PARTS /* the operands are parts of the result, one behind the other */
};
/* What such an operator is asked, and what it answers. */
typedef struct cantik_part {
  size_t size;
  void* self;
  const cantik_type* whole;
  const cantik_attribute* attributes;
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* set by the operator: */
  int32_t axis; /* from the front; begins as -1: the parts do not lie side by side along one axis */
  int32_t reserved;
  int64_t begin; /* the first position of the part; of CANTIK_JOINS_PARTS not asked */
} cantik_part;

/* Which axes of operands and results are one. Along such an axis the positions may be taken in any order, the
 * same one everywhere: a result that has the axis has it in that order, too, and the others do not change. A
 * result that has the axis may be made in parts, from the parts of those operands that have it. */
typedef struct cantik_axis_names {
  size_t size;
  void* self;
  int32_t inputs, outputs;
  const cantik_type *in, *out;
  const cantik_attribute* attributes;
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* A number, not negative, for each axis of an operand, of a result: equal ones are one axis. An operand or
   * a result that is not named has axes that nothing else has. */
  cantik_status (*operand)(void* self, int32_t i, const int32_t* numbers, int32_t count);
  cantik_status (*result)(void* self, int32_t i, const int32_t* numbers, int32_t count);
} cantik_axis_names;

/* Weights in the order in which kernels read them. */
typedef struct cantik_packing {
  size_t size;
  void* self;
  int32_t inputs;
  int32_t reserved;
  const cantik_type* in;
  const cantik_attribute* attributes;
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* Kernels want the operand as this operator makes it of it, where all operands are dense and this one has
   * no rows. Without a call, they take all as they are. */
  cantik_status (*pack)(void* self, int32_t operand, const char* op, const cantik_argument* arguments,
                        int32_t argument_count);
} cantik_packing;

/* Sizes that a type rule leaves open (`set_late`), asked for in a run, once its operands are there. */
typedef struct cantik_sizes {
  size_t size;
  void* self;
  int32_t inputs, outputs;
  const cantik_type *in, *out; /* results as the type rule has them */
  const cantik_operand* rows;  /* of the operands */
  const cantik_attribute* attributes;
  const cantik_keeper* keeper; /* what is kept here is there for the kernels */
  int32_t training;
  int32_t reserved;
  void (*fail)(void* self, int32_t failure, const char* text, const char* remedy);
  /* The static shape of a result, behind the number of its rows where it has a batch axis. */
  cantik_status (*set)(void* self, int32_t output, int32_t rank, const int64_t* dims);
} cantik_sizes;

/* Whom an operator's kernels leave something (cantik_keeper.save): its gradient, in training alone, or
 * operators of its body, always. Then it has one result more, the last: a number for each row of its first
 * operand with sequences, or with a batch where there is none, which stands for what was saved. It is called
 * with all rows at once. */
enum cantik_saves { CANTIK_SAVES_NOTHING, CANTIK_SAVES_FOR_GRADIENT, CANTIK_SAVES_FOR_READERS };

/* Something that has to be taken before an operator is called and left afterwards. Of calls that follow one
 * another, it is taken once. */
typedef struct cantik_lock {
  size_t size;
  void* user;
  void* (*enter)(void* user);
  void (*leave)(void* user, void* entered); /* what enter returned */
} cantik_lock;

/* In CNTK's files. Convolutions spell out there what they leave to be filled in. */
enum cantik_windows { CANTIK_NO_WINDOWS, CANTIK_WINDOWS, CANTIK_WINDOWS_WITH_STEPS };
/* An operand of the file that is an attribute here. */
typedef struct cantik_operand_field {
  int32_t operand;   /* a constant number in the file */
  const char* field; /* which is this attribute here */
} cantik_operand_field;
/* How an operator stands in CNTK's files, where its attributes do not say everything. */
typedef struct cantik_cntk_form {
  size_t size;
  int64_t number;               /* of a primitive function; -1: it is none */
  const char* block;            /* the name of the block that it is there; NULL: it is none */
  const char* module;           /* of a function of CNTK's C++ libraries: where it was, NULL: anywhere */
  const char* factory;          /* and what made it; NULL: it is none */
  const cantik_argument* fixed; /* entries that tell it from others of the same number */
  const char* const* ignored;   /* entries that may be there and change nothing */
  const int32_t* order;         /* which of our operands stand where in the file */
  const cantik_operand_field* operand_fields;
  const char* const* delays; /* attributes that are not in the file: each is 0, or plus or minus the offset of
                                a delay in the block */
  int32_t fixed_count, ignored_count, order_count, operand_field_count, delay_count;
  int32_t windows;        /* enum cantik_windows */
  int32_t axes_of_result; /* 1: axes count along the result, not along the first operand */
  int32_t reserved;
} cantik_cntk_form;

/* All facts of an operator. */
typedef struct cantik_facts {
  size_t size;
  int32_t delay;           /* enum cantik_delay */
  int32_t stores;          /* 1: when all is computed, the second operand becomes the value of the first */
  uint32_t type_too;       /* of the operands that are read for their layout alone: a bit for those whose type
                              the kernel asks for as well */
  int32_t offset_by_graph; /* 1: where the first attribute is absent, it follows from `pixels` of the graph */
  const cantik_reuse* reuses; /* with CANTIK_IN_PLACE; none: the first result, of the first operand */
  int32_t reuse_count;
  uint32_t by_index; /* since revision 2: a bit for each operand of the batch that kernels read at each step
                        through the row map, so that no copy of it is made for each of them */
  cantik_status (*pixels)(void* user, cantik_pixels*);
  cantik_images images;
  const char* instead_if; /* a truth value among the attributes: where it is true, */
  const char* instead;    /* this operator is applied in its place */
  const cantik_cntk_form* cntk;
  /* since revision 2: */
  int32_t parts; /* enum cantik_parts */
  int32_t saves; /* enum cantik_saves */
  cantik_status (*part)(void* user, cantik_part*);
  cantik_status (*axis_names)(void* user, cantik_axis_names*);
  const char* packed;     /* a truth value among the attributes: whether operands come as `packing` says */
  uint64_t packed_traits; /* that the operator has besides, where they do */
  cantik_status (*packing)(void* user, cantik_packing*);
  cantik_status (*sizes)(void* user, cantik_sizes*);
  const cantik_lock* lock;
} cantik_facts;

/* ---- operators ---- */

/* Facts about an operator that the compiler asks for. */
enum cantik_trait {
  CANTIK_ROW_WISE = 1 << 0,  /* row r of the result depends on row r of the operands only */
  CANTIK_DRAWS = 1 << 1,     /* takes random numbers: never shared, has a position in the State */
  CANTIK_EFFECT = 1 << 2,    /* changes a parameter or constant */
  CANTIK_ALIAS = 1 << 3,     /* the result is the first operand under another type: no instruction */
  CANTIK_SUMS_ROWS = 1 << 4, /* the result has no rows: a sum over the rows, in fixed chunks */
  CANTIK_DELAY = 1 << 5,    /* row t of a sequence is row t -+ `time_step` of its first operand, at the border
                               the second's: may close a loop */
  CANTIK_HIDDEN = 1 << 6,   /* made by gradients and passes, not by users */
  CANTIK_IN_PLACE = 1 << 7, /* the result may take the first operand's memory */
  CANTIK_NO_GRADIENT = 1 << 8,   /* its gradient is zero by definition */
  CANTIK_EPILOGUE = 1 << 9,      /* its kernels can apply an expression to their result */
  CANTIK_SPELLED_OUT = 1 << 10,  /* a function of Python's alone: in graphs and files stands what its body
                                    makes, without a block */
  CANTIK_TAKES_SPARSE = 1 << 11, /* its kernels read sparse rows; to others they are written out */
  CANTIK_ROWS_AS_AXIS =
      1 << 12, /* the rows of the operand are the first axis of the result, free in its type */
  CANTIK_AXIS_AS_ROWS = 1 << 13, /* the first axis of the operand are the rows of the result */
  CANTIK_OWN_AXIS = 1 << 14,    /* the result has a sequence axis of its own: its kernel states the lengths */
  CANTIK_BY_SEQUENCE = 1 << 15, /* the units of its kernels are sequences: of the result, or of the first
                                   operand where that has none */
  CANTIK_STEPS_AS_AXIS = 1 << 16, /* the first axis of the result, free in its type, is as long as the longest
                                     sequence of the operand */
  CANTIK_TAKES_ROWS = 1 << 17, /* the first operand's rows come through the row map that the attribute `map`
                                  names, of the result's layout */
  CANTIK_STEP_BY_STEP =
      1 << 18, /* though by sequence, of a part of a sequence it makes that part of its result */
  CANTIK_ANY_STRIDE = 1 << 19, /* its kernels read rows of vectors at any distance from one another: an
                                 operand may be columns of wider rows */
  /* since revision 2: */
  CANTIK_IN_STEPS = 1 << 20,    /* though not row-wise, it may stand in recurrences: there it is called once a
                                   step, with the rows of all sequences that go on */
  CANTIK_READS_SAVED = 1 << 21, /* the first operand stands for what another operator saved: the kernel is
                                   called once for each call that did, the last one first; results without
                                   rows are sums over these calls */
  CANTIK_OBSERVED = 1 << 22, /* its calls are seen: there is one in each run, and one of its gradient wherever
                                an operand can have a gradient, even if nobody reads it */
  CANTIK_TAKES_HALF = 1 << 23, /* its kernels read and write float16; for others such numbers are widened */
  CANTIK_LENDS = 1 << 24,      /* its kernels hand on the memory of operands and results, which stays as it is
                                  until the run is over (cantik_keeper.borrow) */
  CANTIK_SAME_AXES = 1 << 25   /* a batch beside sequences is a mistake: it is not read at each step */
};

/* Operands and attributes of a call that tests make. */
typedef struct cantik_sample { /* a case for tests, benchmarks and documentation */
  size_t size;
  int32_t inputs;
  const int32_t* ranks;
  const int64_t* dims; /* of all inputs, one after another */
  const cantik_argument* arguments;
  int32_t argument_count;
  double low, high; /* where the test draws its numbers */
} cantik_sample;

/* A text that an operator carries under a key. */
typedef struct cantik_named {
  const char* key;
  const char* value;
} cantik_named;

/* All that a library states about an operator. */
typedef struct cantik_operator {
  size_t size;
  const char* name;
  const char* signature; /* as Python spells it: name(x, y, alpha=0.01, name='') */
  const char* doc;
  int32_t inputs_min, inputs_max, outputs;
  uint64_t traits;
  const cantik_field* fields;
  int32_t field_count;
  cantik_expression expression;
  const cantik_expression*
      derivatives; /* one for each input, over (inputs..., y, dy); NULL: derived from the expression */
  void* user;      /* handed to the functions below and to the kernels */
  cantik_status (*infer)(void* user, cantik_infer*);
  cantik_status (*compose)(void* user, cantik_builder*);
  cantik_status (*lower)(
      void* user,
      cantik_builder*); /* how it runs, as other operators; its node stays one in graphs and files */
  cantik_status (*gradient)(void* user, cantik_builder*);
  cantik_status (*finish)(
      void* user, cantik_builder*); /* the same once gradients are taken: packed weights, other formats */
  const cantik_kernel* kernels;
  int32_t kernel_count;
  const cantik_sample* samples;
  int32_t sample_count;
  const double* kinks; /* where the operator has no derivative: tests keep away */
  int32_t kink_count;
  const cantik_named* names; /* "cntk" and "onnx", as it is called there, and any key of the library's own */
  int32_t name_count;
  uint32_t layout_only;      /* a bit for each operand: only its layout is read, not its numbers */
  const cantik_facts* facts; /* since revision 1 */
} cantik_operator;

/* The calls by which a library hands its operators to the host. */
typedef struct cantik_host {
  size_t size;
  uint32_t abi_version;
  void* self;
  cantik_status (*define)(void* self, const cantik_operator* op);
  cantik_status (*annotate)(void* self, const char* op, const char* key,
                            const char* value); /* any key, any operator */
  void (*fail)(void* self, int32_t failure, const char* text);
  /* The same with objects of the library's, which stay where they are: `type` names what they are, the same
   * one for all objects of a key. */
  cantik_status (*attach)(void* self, const char* op, const char* key, const char* type, const void* object);
  /* What any library attached; NULL: nothing. May be kept and called at any time. */
  const void* (*attached)(const char* op, const char* key, const char* type);
} cantik_host;

/* What a library exports: either of these functions, or both. Each returns 0, or a failure after host->fail;
 * then nothing of the library is registered. The second is for headers that collect the operators of all
 * files by themselves (cantik/mxnet/op.h). */
typedef cantik_status cantik_library_function(const cantik_host* host);
#define CANTIK_LIBRARY_SYMBOL "cantik_library"
#define CANTIK_COLLECTED_SYMBOL "cantik_collected_library"

#ifdef __cplusplus
}
#endif
