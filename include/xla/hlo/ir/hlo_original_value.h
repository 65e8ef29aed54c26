// Which value of the original program an instruction computes: a tree of the instruction's shape
// with, at each leaf, the name of an original instruction and an index into its result.
#ifndef XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_
#define XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/printer.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"
#include "xla/tuple_tree.h"
#include "xla/xla_data.pb.h"

namespace xla {

class HloInstruction;

// An array of the original program: a part of what one of its instructions computes.
struct OriginalArray {
  std::string instruction_name;
  ShapeIndex shape_index;

  // {"t" {0,1}} without the outer braces.
  std::string ToString() const;
  OriginalArrayProto ToProto() const;
  static OriginalArray FromProto(const OriginalArrayProto& proto);

  friend bool operator==(const OriginalArray& a, const OriginalArray& b) {
    return a.instruction_name == b.instruction_name && a.shape_index == b.shape_index;
  }
  friend bool operator!=(const OriginalArray& a, const OriginalArray& b) { return !(a == b); }
  friend bool operator<(const OriginalArray& a, const OriginalArray& b) {
    return std::tie(a.instruction_name, a.shape_index) <
           std::tie(b.instruction_name, b.shape_index);
  }
  template <typename H>
  friend H AbslHashValue(H h, const OriginalArray& array) {
    return H::combine(std::move(h), array.instruction_name, array.shape_index);
  }
};

// The original arrays of all leaves of an instruction's result, as far as they are known; or the
// mark of a call that the original program did not have.
class OriginalValue {
 public:
  using Tree = TupleTree<std::optional<OriginalArray>>;

  explicit OriginalValue(Tree tree) : tree_(std::move(tree)) {}
  explicit OriginalValue(Tree::Node&& root) : tree_(std::move(root)) {}
  // Of a shape, with nothing known.
  explicit OriginalValue(const Shape& shape) : tree_(shape) {}

  static OriginalValue SyntheticCall();
  // The names of the leaves of `instruction` itself, with `prefix` before them.
  static std::shared_ptr<OriginalValue> CreateFromInstruction(const HloInstruction* instruction,
                                                              const std::string& prefix = "");

  const Tree& tree() const { return tree_; }
  Tree* mutable_tree() { return &tree_; }
  const std::optional<OriginalArray>& original_array(ShapeIndexView index) const {
    return tree_.element(index);
  }
  std::optional<OriginalArray>* mutable_original_array(ShapeIndexView index) {
    return tree_.mutable_element(index);
  }
  // The leaves, each with its index.
  auto original_arrays() const { return tree_.leaves(); }
  auto mutable_original_arrays() { return tree_.leaves(); }

  // Whether no leaf's original array is known.
  bool IsEmpty() const;
  bool IsTuple() const { return tree_.IsTuple(); }
  bool IsCompatibleWith(const Shape& shape) const {
    return is_synthetic_call_ || tree_.IsStructurallyCompatible(shape);
  }
  bool is_synthetic_call() const { return is_synthetic_call_; }

  // What PrintOriginalValue prints.
  std::string ToString() const;
  OriginalValueProto ToProto() const;
  // InvalidArgument as of ValidateOriginalValue.
  static absl::StatusOr<std::shared_ptr<OriginalValue>> CreateFromProto(
      const OriginalValueProto& proto);
  // The same, null where that is an error.
  static std::shared_ptr<OriginalValue> FromProto(const OriginalValueProto& proto);

  friend bool operator==(const OriginalValue& a, const OriginalValue& b) {
    return a.is_synthetic_call_ == b.is_synthetic_call_ && a.tree_ == b.tree_;
  }
  friend bool operator!=(const OriginalValue& a, const OriginalValue& b) { return !(a == b); }
  template <typename H>
  friend H AbslHashValue(H h, const OriginalValue& value) {
    for (const auto& [index, array] : value.original_arrays()) {
      h = H::combine(std::move(h), index, array);
    }
    return H::combine(std::move(h), value.is_synthetic_call_);
  }

 private:
  Tree tree_;
  bool is_synthetic_call_ = false;
};

// What stands between the braces of origin={...}: {"add"}, {"t" {0,1}}, ({"a"}, {}),
// [synthetic_call].
void PrintOriginalValue(Printer* printer, const OriginalValueProto& original_value);
std::string OriginalValueToString(const OriginalValueProto& original_value);

// {"t" {0,1}}, or {} for an array without a name.
void PrintOriginalArray(Printer* printer, const OriginalArrayProto& original_array);

// InvalidArgument unless the elements are the leaves of a tree, depth first, that is nested no
// deeper than shapes can be.
absl::Status ValidateOriginalValue(const OriginalValueProto& original_value);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_ORIGINAL_VALUE_H_
