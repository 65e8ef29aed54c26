#include "ir/op_info.h"

#include <array>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/log/check.h"
#include "absl/strings/str_cat.h"
#include "ir/records.h"
#include "xla/primitive_util.h"
#include "xla/util.h"

namespace xla {
namespace {

constexpr OperandCount Operands(int count) { return {count, count}; }
constexpr OperandCount Operands(int min, int max) { return {min, max}; }
constexpr OperandCount AnyOperands = {0, kMany};

constexpr CalleeSpec NoCallees = {CalleeForm::kNamed, {}, 0};
constexpr CalleeSpec Branches = {CalleeForm::kBranches, {{"branch_computations", 0}}, 1};
// Called in the order body, condition; written the other way round.
constexpr CalleeSpec WhileCallees = {CalleeForm::kNamed, {{"condition", 1}, {"body", 0}}, 2};
constexpr CalleeSpec Callees(absl::string_view name) {
  return {CalleeForm::kNamed, {{name, 0}}, 1};
}
constexpr CalleeSpec Callees(absl::string_view first, absl::string_view second) {
  return {CalleeForm::kNamed, {{first, 0}, {second, 1}}, 2};
}
constexpr CalleeSpec ManyCallees(absl::string_view name) {
  return {CalleeForm::kList, {{name, 0}}, 1};
}

constexpr OpCosts NoCost = {0, 0, 0, 0, 0};
constexpr OpCosts OneInstruction = {1, 2, 2, 1, 1};
// Of an element in cache: between the second cache (1.3) and main memory (10).
constexpr OpCosts OneRead = {2, 4, 4, 2, 4};
constexpr OpCosts Numbers(double f32, double f64, double complex, double s32, double s64) {
  return {f32, f64, complex, s32, s64};
}
constexpr OpCosts Floats(double f32, double f64) { return {f32, f64, 0, 0, 0}; }
constexpr OpCosts FloatsAndComplex(double f32, double f64, double complex) {
  return {f32, f64, complex, 0, 0};
}
constexpr OpCosts Integers(double s32, double s64) { return {0, 0, 0, s32, s64}; }

template <typename Record>
std::unique_ptr<Attributes> Make() {
  return std::make_unique<Record>();
}

constexpr OpInfo kOps[] = {
#define HLO_OP(name, text, operands, attributes, callees, traits, costs, shape_rule) \
  {HloOpcode::k##name,                                                               \
   text,                                                                             \
   operands,                                                                         \
   callees,                                                                          \
   (traits),                                                                         \
   costs,                                                                            \
   shape_rules::shape_rule,                                                          \
   #shape_rule,                                                                      \
   #attributes,                                                                      \
   Make<attributes>,                                                                 \
   attributes::FieldList},
#include "xla/hlo/ir/hlo_ops.def"
#undef HLO_OP
};

}  // namespace

double OpCosts::Of(PrimitiveType type) const {
  if (primitive_util::IsComplexType(type)) return complex;
  if (primitive_util::IsFloatingPointType(type)) return type == F64 ? f64 : f32;
  return primitive_util::IsArrayType(type) && primitive_util::BitWidth(type) == 64 ? s64 : s32;
}

const OpInfo& GetOpInfo(HloOpcode opcode) { return kOps[static_cast<size_t>(opcode)]; }

absl::Span<const OpInfo> AllOps() { return kOps; }

absl::string_view HloOpcodeString(HloOpcode opcode) { return GetOpInfo(opcode).name; }

absl::StatusOr<HloOpcode> StringToHloOpcode(absl::string_view opcode_name) {
  static const auto& by_name = *[] {
    auto* map = new absl::flat_hash_map<absl::string_view, HloOpcode>();
    for (const OpInfo& op : kOps) map->emplace(op.name, op.opcode);
    return map;
  }();
  const auto found = by_name.find(opcode_name);
  if (found == by_name.end()) return InvalidArgument("Unknown opcode: %s", opcode_name);
  return found->second;
}

std::optional<int8_t> HloOpcodeArity(HloOpcode opcode) {
  const OperandCount count = GetOpInfo(opcode).operands;
  if (count.min != count.max) return std::nullopt;
  return static_cast<int8_t>(count.min);
}

bool HloOpcodeIsAsync(HloOpcode opcode) {
  return opcode == HloOpcode::kAsyncStart || opcode == HloOpcode::kAsyncUpdate ||
         opcode == HloOpcode::kAsyncDone;
}

bool HloOpcodeIsBinaryCommutative(HloOpcode opcode) { return HasTrait(opcode, kCommutative); }

uint32_t HloOpcodeCount() { return std::size(kOps); }

CallContext GetInstructionCallContext(HloOpcode opcode) {
  if (HasTrait(opcode, kControlFlow)) return CallContext::kControlFlow;
  if (HloOpcodeIsAsync(opcode)) return CallContext::kBoth;
  return GetOpInfo(opcode).callees.count == 0 ? CallContext::kNone : CallContext::kEmbedded;
}

std::string CallContextToString(CallContext context) {
  switch (context) {
    case CallContext::kEmbedded:
      return "kEmbedded";
    case CallContext::kControlFlow:
      return "kControlFlow";
    case CallContext::kBoth:
      return "kBoth";
    case CallContext::kNone:
      return "kNone";
  }
  return "unknown";
}

bool TakesAsyncSuffix(HloOpcode opcode) {
  static const auto& takes_suffix = *[] {
    auto* result = new std::array<bool, std::size(kOps)>();
    for (const OpInfo& op : kOps) {
      const auto has_own_form = [&](const OpInfo& other) {
        return other.name == absl::StrCat(op.name, "-start") ||
               other.name == absl::StrCat(op.name, "-done");
      };
      const absl::Span<const Field> fields = op.fields();
      const bool is_positional = !fields.empty() && fields[0].form == Form::kPositional;
      (*result)[static_cast<size_t>(op.opcode)] =
          !HloOpcodeIsAsync(op.opcode) && !is_positional && absl::c_none_of(kOps, has_own_form);
    }
    return result;
  }();
  return takes_suffix[static_cast<size_t>(opcode)];
}

}  // namespace xla
