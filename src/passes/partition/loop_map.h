// Which elements of its operands an element of an instruction's result is made of, as far as it
// matters for dividing arrays.
#ifndef HILO_PASSES_PARTITION_LOOP_MAP_H_
#define HILO_PASSES_PARTITION_LOOP_MAP_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"

namespace xla::passes {

// The operation is a loop nest: each loop walks along some dimensions of the operands and results.
struct LoopMap {
  enum class Kind {
    kEach,   // one turn is independent of the others
    kSum,    // the result is the combination of what the turns give
    kPick,   // the result is what one of the turns gives; which one, the operands say
    kWhole,  // each element needs all turns, and nothing else shall be divided for it
    kNear,   // one turn is independent of the others, but reads operands as walks say
    kShift,  // an element needs others along the loop: whoever has a part of it lacks something
  };
  struct Loop {
    int64_t size;
    Kind kind;
  };
  // The loops that walk along a dimension, the first changing slowest. None where all of the
  // dimension belongs to each turn.
  using Dimension = absl::InlinedVector<int, 4>;
  using Dimensions = absl::InlinedVector<Dimension, 4>;

  // Where turns read an operand along one of its dimensions, if not one after the other: at (offset
  // + the sum of factor * turn + each number below `extent`) / divisor, where that divides.
  struct Walk {
    struct Step {
      int loop;
      int64_t factor;
    };
    std::vector<Step> steps;
    int64_t offset = 0, extent = 1, divisor = 1;
  };
  // What they read beyond the ends of that dimension.
  enum class Outside {
    kNothing,   // nothing that matters
    kZero,      // zeros
    kIdentity,  // what the combination leaves as it is
    kPadding,   // operand 1
  };

  absl::InlinedVector<Loop, 4> loops;
  std::vector<Dimensions> operands, results;            // a tuple's arrays one by one
  std::vector<std::vector<std::optional<Walk>>> walks;  // of the dimensions of operands
  Outside outside = Outside::kNothing;
  // How turns of kSum and what windows cover are combined, and turns of kPick where the others give
  // what changes nothing.
  HloOpcode combination = HloOpcode::kAdd;
  // Operands that the combination takes once, not in each turn.
  absl::InlinedVector<bool, 8> is_taken_once;

  // Nothing where the dimension is walked along one by one.
  const Walk* WalkAlong(size_t operand, size_t dimension) const {
    if (operand >= walks.size() || !walks[operand][dimension].has_value()) return nullptr;
    return &*walks[operand][dimension];
  }
  // Whether operands without loops are all that is known.
  bool IsUnknown() const { return results.empty(); }
};

// Of element-wise operations, including those to come, from their trait; of others as their
// attributes say. Unknown for operations that are not described here and for those on tuples.
LoopMap LoopMapOf(const HloInstruction& instruction);

// What the attribute xla.sdy.sharding_rule of a custom call says, such as
// "#sdy.op_sharding_rule<([i, jk], [k])->([i, k]) {i=2, j=4, k=8} need_replication={k}>". Unknown
// where it does not fit the call.
LoopMap MapOfShardingRule(const HloInstruction& call);

// The maps of all instructions of a module, as they are when this is made. Element-wise operations
// on arrays of the same sizes share theirs.
class LoopMaps {
 public:
  explicit LoopMaps(const HloModule& module);

  const LoopMap& of(const HloInstruction& instruction) const { return *maps_.at(&instruction); }
  // Of a value of this shape that is handed on.
  const LoopMap& Identity(const Shape& shape) { return OfElements(shape, 1); }

 private:
  const LoopMap& OfElements(const Shape& shape, int64_t operand_count);

  std::deque<LoopMap> all_;
  absl::flat_hash_map<std::pair<DimensionVector, int64_t>, const LoopMap*> of_elements_;
  absl::flat_hash_map<const HloInstruction*, const LoopMap*> maps_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_PARTITION_LOOP_MAP_H_
