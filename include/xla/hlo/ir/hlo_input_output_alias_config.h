// Which parameters of a program lend their memory to its result.
#ifndef XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_
#define XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape.h"
#include "xla/shape_util.h"

namespace xla {

class HloModule;

// Pairs of a leaf of the result and a leaf of a parameter that share one buffer.
class HloInputOutputAliasConfig {
 public:
  enum AliasKind {
    kMayAlias,   // when the caller donates the parameter
    kMustAlias,  // the caller has to donate it
  };

  struct Alias {
    Alias(int64_t parameter_number, ShapeIndex parameter_index, AliasKind kind = kMayAlias)
        : parameter_number(parameter_number),
          parameter_index(std::move(parameter_index)),
          kind(kind) {}
    bool must_alias() const { return kind == kMustAlias; }
    // "(0, {1}, may-alias)".
    std::string ToString() const;
    bool operator==(const Alias& other) const {
      return parameter_number == other.parameter_number &&
             parameter_index == other.parameter_index && kind == other.kind;
    }

    int64_t parameter_number;
    ShapeIndex parameter_index;
    AliasKind kind;
  };

  using AliasFn = absl::FunctionRef<void(const ShapeIndex& output_index, const Alias& alias)>;
  using AliasFnWithStatus =
      absl::FunctionRef<absl::Status(const ShapeIndex& output_index, const Alias& alias)>;

  HloInputOutputAliasConfig() = default;
  // No aliases yet, for a program with a result of that shape.
  explicit HloInputOutputAliasConfig(Shape output_shape) : shape_(std::move(output_shape)) {}

  // InvalidArgument when the result has no such leaf, the parameter number is negative, or one of
  // the two has an alias already.
  absl::Status SetUpAlias(const ShapeIndex& output_index, int64_t param_number,
                          const ShapeIndex& param_index, AliasKind must_alias = kMayAlias);

  bool empty() const { return aliases_.empty(); }
  bool ParameterHasAlias(int64_t param_number, const ShapeIndex& param_index) const {
    return GetAliasedOutput(param_number, param_index).has_value();
  }
  bool ParameterMustAlias(int64_t param_number, const ShapeIndex& param_index) const;
  bool OutputHasAlias(const ShapeIndex& output_index) const {
    return aliases_.count(output_index) != 0;
  }
  std::optional<ShapeIndex> GetAliasedOutput(int64_t param_number,
                                             const ShapeIndex& param_index) const;
  std::optional<Alias> GetAliasedParameter(const ShapeIndex& output_index) const;

  // In the order of the result's leaves.
  void ForEachAlias(AliasFn fn) const;
  absl::Status ForEachAliasWithStatus(AliasFnWithStatus fn) const;

  // InvalidArgument unless each alias is between leaves that exist and have the same size in bytes.
  absl::Status Verify(const ProgramShape& program_shape) const;
  absl::Status Verify(const HloModule& module,
                      absl::FunctionRef<int64_t(const Shape&)> size_func) const;

  static absl::StatusOr<HloInputOutputAliasConfig> CreateFromProto(
      Shape output_shape, const HloInputOutputAliasProto& proto);
  HloInputOutputAliasProto ToProto() const;

  const Shape& shape() const { return shape_; }

  // "{ {0}: (0, {}, may-alias), {1}: (1, {0}, must-alias) }", and the same without the outer
  // braces.
  std::string ToString() const;
  std::string ToShortString() const;

  // The shape is not compared.
  bool operator==(const HloInputOutputAliasConfig& other) const {
    return aliases_ == other.aliases_;
  }
  bool operator!=(const HloInputOutputAliasConfig& other) const { return !(*this == other); }

 private:
  Shape shape_;
  std::map<ShapeIndex, Alias> aliases_;                           // By index into the result.
  std::map<std::pair<int64_t, ShapeIndex>, ShapeIndex> outputs_;  // By parameter.
};

std::ostream& operator<<(std::ostream& out, const HloInputOutputAliasConfig& config);

// Parameters whose memory the program may use for anything, but that are tied to no part of the
// result.
class HloBufferDonorConfig {
 public:
  struct BufferDonor {
    BufferDonor(int64_t param_number, ShapeIndex param_index)
        : param_number(param_number), param_index(std::move(param_index)) {}
    bool operator==(const BufferDonor& other) const {
      return param_number == other.param_number && param_index == other.param_index;
    }
    bool operator!=(const BufferDonor& other) const { return !(*this == other); }
    bool operator<(const BufferDonor& other) const {
      return std::tie(param_number, param_index) < std::tie(other.param_number, other.param_index);
    }
    template <typename H>
    friend H AbslHashValue(H h, const BufferDonor& donor) {
      return H::combine(std::move(h), donor.param_number, donor.param_index);
    }

    int64_t param_number;
    ShapeIndex param_index;
  };

  HloBufferDonorConfig() = default;

  // InvalidArgument for a negative number. Adding one twice is no error.
  absl::Status AddBufferDonor(int64_t param_number, const ShapeIndex& param_index);
  absl::Status RemoveBufferDonor(int64_t param_number, const ShapeIndex& param_index);
  bool ParameterIsBufferDonor(int64_t param_number, const ShapeIndex& param_index) const {
    return donors_.count(BufferDonor(param_number, param_index)) != 0;
  }
  bool empty() const { return donors_.empty(); }
  const std::set<BufferDonor>& buffer_donor() const { return donors_; }

  // InvalidArgument unless each donor is a leaf of a parameter and has no alias.
  absl::Status Verify(const ProgramShape& program_shape,
                      const HloInputOutputAliasConfig& aliases) const;
  absl::Status Verify(const HloModule& module) const;

  static absl::StatusOr<HloBufferDonorConfig> CreateFromProto(const HloBufferDonorProto& proto);
  HloBufferDonorProto ToProto() const;

  // "{ (0, {}), (1, {0}) }", and the same without the outer braces.
  std::string ToString() const;
  std::string ToShortString() const;

  bool operator==(const HloBufferDonorConfig& other) const { return donors_ == other.donors_; }
  bool operator!=(const HloBufferDonorConfig& other) const { return !(*this == other); }

 private:
  std::set<BufferDonor> donors_;
};

std::ostream& operator<<(std::ostream& out, const HloBufferDonorConfig& config);

}  // namespace xla

#endif  // XLA_HLO_IR_HLO_INPUT_OUTPUT_ALIAS_CONFIG_H_
