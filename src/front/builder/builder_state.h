// What an XlaBuilder holds, and the one function that adds operations.
#ifndef HILO_FRONT_BUILDER_BUILDER_STATE_H_
#define HILO_FRONT_BUILDER_BUILDER_STATE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/field.h"
#include "ir/name_uniquer.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"

namespace xla {
namespace internal {

class BuilderState {
 public:
  // An operation that was added: its message and its shape. Neither moves in memory.
  struct Node {
    HloInstructionProto proto;
    Shape shape;
  };

  // A computation that operations may call.
  struct Embedded {
    HloComputationProto proto;
    ProgramShape shape;
  };

  // Everything about an operation but its operands and the builder.
  struct Description {
    HloOpcode opcode;
    std::unique_ptr<Attributes> attributes;  // null: defaults
    std::vector<XlaComputationId> callees = {};
    std::optional<Shape> shape = std::nullopt;  // where it does not follow from the operands
    std::string name = "";                      // empty: made of the opcode
  };

  BuilderState(XlaBuilder* builder, std::string name, BuilderState* parent)
      : builder_(builder), name_(std::move(name)), parent_(parent) {}

  const std::string& name() const { return name_; }
  BuilderState* parent() const { return parent_; }

  // Checks operands, attributes and callees by the operation's rule, and appends the operation.
  absl::StatusOr<XlaOp> AddOp(Description description, absl::Span<const XlaOp> operands);
  // The shape that AddOp would give it.
  absl::StatusOr<Shape> Infer(const Description& description,
                              absl::Span<const XlaOp> operands) const;
  // Appends it with the shape in its description, which is the caller's business.
  absl::StatusOr<XlaOp> Append(Description description, absl::Span<const XlaOp> operands);

  // Records the first error.
  XlaOp ReportError(const absl::Status& error);
  const absl::Status& first_error() const { return first_error_; }

  // InvalidArgument for an operation that is uninitialized, failed, of another builder or of a
  // program already built.
  absl::StatusOr<Node*> Find(XlaOp op);
  absl::StatusOr<const Node*> Find(XlaOp op) const;
  absl::StatusOr<const Embedded*> Find(XlaComputationId id) const;

  absl::StatusOr<XlaComputationId> AddComputation(const XlaComputation& computation);
  absl::StatusOr<XlaComputationId> FinishAsSubComputation(std::optional<XlaOp> root,
                                                          bool remove_dynamic_dimensions);
  absl::StatusOr<XlaComputation> Build(XlaOp root, bool remove_dynamic_dimensions);
  absl::StatusOr<XlaComputation> Build(XlaComputationId entry) const;
  // A module of the operations that `root` depends on, which stay here. `edit` may change the copy
  // of each; operands that it takes away do not count.
  absl::StatusOr<HloModuleProto> CopySubGraph(XlaOp root, absl::string_view name,
                                              absl::FunctionRef<void(HloInstructionProto&)> edit);
  absl::StatusOr<XlaComputation> BuildConstantSubGraph(XlaOp root,
                                                       bool dynamic_dimension_is_minus_one);
  absl::StatusOr<ProgramShape> GetProgramShape(XlaOp root) const;
  absl::StatusOr<bool> IsConstant(XlaOp op) const;
  absl::StatusOr<XlaOp> LastOp() const;
  std::string OpToString(XlaOp op) const;
  // The sharding with one entry for each leaf of the shape; InvalidArgument when it does not fit
  // the shape.
  static absl::StatusOr<OpSharding> FitSharding(const OpSharding& sharding, const Shape& shape);

  // What operations added from now on carry.
  OpMetadata metadata;
  std::optional<OpMetadata> one_shot_metadata;
  std::optional<OpSharding> sharding;
  FrontendAttributes frontend_attributes;
  std::optional<OriginalValueProto> original_value;
  bool die_immediately_on_error = false;

  // Infeeds and outfeeds that the program does not order by tokens are in the order in which they
  // are added: each waits for the last one.
  std::optional<XlaOp> last_infeed;
  std::optional<XlaOp> last_outfeed;

  // What Build puts into the module.
  struct Alias {
    ShapeIndex output_index;
    int64_t parameter_number;
    ShapeIndex parameter_index;
    HloInputOutputAliasConfig::AliasKind kind;
  };
  std::vector<Alias> aliases;
  std::vector<std::pair<int64_t, ShapeIndex>> donors;

 private:
  BuilderState& root() { return parent_ == nullptr ? *this : parent_->root(); }
  const BuilderState& root() const { return parent_ == nullptr ? *this : parent_->root(); }

  absl::Status CheckParameter(const Attributes& attributes);
  absl::Status Annotate(const Description& description, absl::Span<const XlaOp> operands,
                        HloInstructionProto& proto);
  // For tuples and their elements: what is known of the operands.
  std::optional<OriginalValueProto> OriginalValueOfOperands(const Description& description,
                                                            absl::Span<const XlaOp> operands) const;
  absl::StatusOr<HloComputationProto> TakeComputation(XlaOp root, bool remove_dynamic_dimensions);
  absl::Status AddAliases(const ProgramShape& shape, HloModuleProto& module) const;
  // The computations that `entry` calls, directly or not, into the module, and `entry` as the last.
  void AssembleModule(HloComputationProto entry, HloModuleProto& module) const;
  bool DependsOnMoreThanParameters(int64_t computation_id) const;

  XlaBuilder* builder_;
  std::string name_;
  BuilderState* parent_;
  absl::Status first_error_;
  int64_t first_id_ = 1;  // of nodes_[0]
  std::deque<Node> nodes_;
  absl::flat_hash_set<int64_t> parameter_numbers_;

  // Of the root builder, for all its sub-builders too.
  int64_t next_computation_id_ = 1;
  std::map<int64_t, Embedded> embedded_;
  NameUniquer names_;
};

}  // namespace internal

// The operation with this record, shape, ... of the builder of its first operand that has one.
XlaOp AddOp(internal::BuilderState::Description description, absl::Span<const XlaOp> operands);
// For operations without operands.
XlaOp AddOp(XlaBuilder* builder, internal::BuilderState::Description description,
            absl::Span<const XlaOp> operands = {});

// The builder of the first operand that has one. At least one must.
XlaBuilder* BuilderOf(absl::Span<const XlaOp> operands);

inline internal::BuilderState& StateOf(XlaBuilder* builder) {
  return internal::XlaBuilderFriend::State(builder);
}

// The message of an operation that was just added, or null if there was an error.
inline HloInstructionProto* MessageOf(XlaOp op) {
  return internal::XlaBuilderFriend::GetInstruction(op);
}

// Runs `make`, which returns absl::StatusOr<XlaOp>, unless the builder has an error; an error is
// recorded.
template <typename Make>
XlaOp WithBuilder(XlaBuilder* builder, Make make) {
  if (!builder->first_error().ok()) return builder->ReportError(builder->first_error());
  return builder->ReportErrorOrReturn(absl::StatusOr<XlaOp>(make()));
}

// The operand's shape is copied: adding operations moves nothing, but the caller may want to change
// it.
absl::StatusOr<Shape> ShapeOf(XlaOp op);

// What sends and receives give until they are done: the data, a context, and a token.
Shape WithContextAndToken(const Shape& data);

inline std::vector<XlaOp> Joined(absl::Span<const XlaOp> first, absl::Span<const XlaOp> second) {
  std::vector<XlaOp> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

// A dense row-major shape; InvalidArgument for negative or too large sizes.
absl::StatusOr<Shape> MakeShapeChecked(PrimitiveType type, absl::Span<const int64_t> dimensions);

// The operand repeated to `shape` (whose element type does not count): operand dimension i is
// dimension dimensions[i].
XlaOp BroadcastToShape(XlaOp operand, Shape shape, absl::Span<const int64_t> dimensions);

// A scalar, or an array of the same rank whose dimensions of size 1 may be stretched, as an array
// of the dimensions of `shape`, which are known: by a reshape without those dimensions, and a
// broadcast.
XlaOp StretchTo(XlaOp operand, const Shape& shape);

// Replaces the scalars among operands of these shapes by arrays like the first one of higher rank,
// if there is one.
void RepeatScalars(absl::Span<const Shape> shapes, absl::Span<XlaOp> operands);

// Both operands in one shape, by the rules for operations with two operands (see
// xla_builder_ops.h), but that a size which is not known goes with one that is. Anything but arrays
// is left alone.
absl::StatusOr<std::pair<XlaOp, XlaOp>> MakeShapesEqual(HloOpcode opcode, XlaOp lhs, XlaOp rhs,
                                                        absl::Span<const int64_t> dimensions);

// A literal array as it is, without looking for a shorter way to say it.
XlaOp PlainConstant(XlaBuilder* builder, const LiteralSlice& literal);

}  // namespace xla

#endif  // HILO_FRONT_BUILDER_BUILDER_STATE_H_
