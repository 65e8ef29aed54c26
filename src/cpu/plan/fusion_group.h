// A group of instructions that become one kernel, and what only it decides about others.
#ifndef HILO_CPU_PLAN_FUSION_GROUP_H_
#define HILO_CPU_PLAN_FUSION_GROUP_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "data/sizes.h"
#include "passes/decision.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::cpu::fusion {

// Dimensions of one element are not counted.
Sizes SizesOf(const Shape& shape);
int Rank(const Shape& shape);

// Where an instruction is computed in the loops of a kernel: for the first dimensions of these
// loops, as many as the number says, if its index is the loops'.
constexpr int kElsewhere = -1;
constexpr int kInReduction = 1000;  // of dimensions that are not the loops' last ones

// Instructions that become one kernel.
struct Group {
  int node;  // in the order of kernels
  std::vector<HloInstruction*> outputs;
  Sizes loops;        // the dimensions of the elements that it runs through
  int row_rank = -1;  // how many of them reductions keep, if there are some along the others
  const HloInstruction* reduce = nullptr;  // one of those along other dimensions
  bool is_closed = false;                  // has the one output that it has
  int instructions = 0;
  int repeated = 0;                   // of these, those that others compute as well
  double additions_of_functions = 0;  // for each element that it runs through
};

// One of the indices at which a kernel computes an instruction for an element of its own. What is
// computed at the same index has the same number.
struct Index {
  int number;
  double times;  // how many elements are computed to choose one of them
};
using Indices = absl::InlinedVector<Index, 2>;

// How the members of a group use an instruction.
struct Use {
  int place = kElsewhere;
  Indices indices = {};
  double times = 0;       // each element is computed
  bool branches = false;  // for several elements of a user, or for users with different indices
};

// Shorter rows are better reduced by themselves, interleaved.
constexpr int64_t kMinFusedRow = 16;

// Counts what functions of many instructions cost that become part of it in such a place.
void CountFunction(Group& group, const HloInstruction& instruction, int place);
// The group's loops run through the reduced elements from now on.
void AddReduction(Group& group, const HloInstruction& reduce);
bool IsSameReduction(const HloInstruction& reduce, const Group& group);
// Whether it can have a reduction that it uses like this.
passes::Decision CanReduceIn(const HloInstruction& reduce, const Group& group, const Use& use);

// Whether it has at least as many rows as keep threads busy, none of them short.
bool HasManyLongRows(const Group& group);
bool HasShortRows(const Group& group);
int OutputRank(const Group& group);
// How many elements a row has that something is computed once for, if rows are so short that
// vectors have several and compute it in each of their lanes; 0 otherwise.
int64_t ShortRowFor(const Use& use, const Group& group);
// Whether it takes longer than to write and read it: a scatter of single elements looks at one
// after the other, while other kernels compute indices in vectors and in several threads.
bool IsLongForOneIndex(const HloInstruction& instruction, const Group& group);

}  // namespace xla::cpu::fusion

#endif  // HILO_CPU_PLAN_FUSION_GROUP_H_
