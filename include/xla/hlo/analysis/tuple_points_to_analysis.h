// Which values the parts of each instruction's result are, where instructions only hand values on.
#ifndef XLA_HLO_ANALYSIS_TUPLE_POINTS_TO_ANALYSIS_H_
#define XLA_HLO_ANALYSIS_TUPLE_POINTS_TO_ANALYSIS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/service/logical_buffer.h"
#include "xla/shape_tree.h"
#include "xla/shape_util.h"

namespace xla {

// The values of one instruction. The part of its shape at an index may be any of those listed for
// it: one of them, as no instruction here chooses between values.
class PointsToSet {
 public:
  using BufferList = absl::InlinedVector<const LogicalBuffer*, 1>;
  using BufferSet = absl::flat_hash_set<const LogicalBuffer*>;

  explicit PointsToSet(const Shape* shape) : buffers_(*shape) {}

  const BufferList& element(const ShapeIndex& index) const { return buffers_.element(index); }
  void AddPointedToBuffer(const LogicalBuffer& buffer, const ShapeIndex& index);

  // Whether some part may be several values, and whether no value is at two places.
  bool IsAmbiguous() const;
  bool IsDistinct() const;
  // Of different values.
  int64_t size() const { return static_cast<int64_t>(CreateFlattenedSet().size()); }
  BufferSet CreateFlattenedSet() const;
  bool ContainsBuffer(const LogicalBuffer& buffer) const;
  bool ContainsBufferAtIndex(const LogicalBuffer& buffer, const ShapeIndex& index) const;

  // Calls function(index, buffers) for each part, tuples before what is in them.
  template <typename Function>
  void ForEachElement(const Function& function) const {
    buffers_.ForEachElement(function);
  }

 private:
  ShapeTree<BufferList> buffers_;
};

// Of all computations of a module, as it is when the analysis runs. get-tuple-element, bitcasts,
// dependencies and the like give what they get; a tuple is a new value with the old ones in it; a
// copy of a tuple is that, too. Whatever else an instruction gives, calls among them, it makes
// itself.
class TuplePointsToAnalysis {
 public:
  static absl::StatusOr<std::unique_ptr<TuplePointsToAnalysis>> Run(const HloModule* module);

  // CHECKs that the instruction is in the module.
  const PointsToSet& GetPointsToSet(const HloInstruction* instruction) const;

  // In the order in which they were found. CHECKs that the number is one of them.
  int64_t num_logical_buffers() const { return static_cast<int64_t>(buffers_.size()); }
  const LogicalBuffer& GetBuffer(LogicalBuffer::Id id) const;
  // InvalidArgument where the instruction hands a value on.
  absl::StatusOr<const LogicalBuffer*> GetBufferDefinedAt(const HloInstruction* instruction,
                                                          const ShapeIndex& index) const;
  bool InstructionDefinesBufferAtIndex(const HloInstruction* instruction,
                                       const ShapeIndex& index) const {
    return GetBufferDefinedAt(instruction, index).ok();
  }
  std::vector<const LogicalBuffer*> GetBuffersDefinedByInstruction(
      const HloInstruction* instruction) const;

  // A line for each part of each instruction.
  std::string ToString() const;

 private:
  explicit TuplePointsToAnalysis(const HloModule* module) : module_(module) {}

  void Visit(HloInstruction& instruction);
  // `set` at `index` is a value of the instruction's own.
  void Define(HloInstruction& instruction, const ShapeIndex& index, PointsToSet& set);
  // `set` below `to` is what the operand is below `from`.
  void HandOn(const HloInstruction& operand, const ShapeIndex& from, const ShapeIndex& to,
              PointsToSet& set) const;

  const HloModule* module_;
  std::vector<std::unique_ptr<LogicalBuffer>> buffers_;
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<PointsToSet>> sets_;
};

}  // namespace xla

#endif  // XLA_HLO_ANALYSIS_TUPLE_POINTS_TO_ANALYSIS_H_
