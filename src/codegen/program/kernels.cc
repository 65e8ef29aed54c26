#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "codegen/loops/merge_dimensions.h"
#include "codegen/loops/move_bits.h"
#include "codegen/loops/schedule.h"
#include "codegen/program/passes.h"
#include "data/sizes.h"
#include "ir/records.h"
#include "runtime/parallel.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

// Fewer elements, which take about a third of a microsecond, are never worth the time it takes to
// hand them to another thread. How many threads are worth it for more is found out at run time.
constexpr double kElementsWorthAThread = 16384;

// Kernels that read sums of products do not depend on what these are the sums of.
std::string KeyOfKernel(const HloComputation& computation) {
  const HloInstruction* product = loops::ProductIn(computation);
  if (product == nullptr) return KeyOf(computation);
  HloComputation::Replacements replacements;
  replacements[product] = HloInstruction::CreateCustomCall(product->shape(), {}, "sums");
  for (const HloInstruction* operand : product->operands()) {
    while (operand->user_count() == 1 && operand->opcode() != HloOpcode::kParameter &&
           operand->operand_count() == 1) {
      replacements[operand] = nullptr;
      operand = operand->operand(0);
    }
    if (operand->opcode() != HloOpcode::kParameter || operand->user_count() > 1) continue;
    replacements[operand] = HloInstruction::CreateParameter(
        operand->parameter_number(), ShapeUtil::MakeShape(PRED, {}), operand->name());
  }
  return KeyOf(*computation.CloneWithReplacements(&replacements));
}

// Lets slices begin where the first ones of the same parameter do, so that kernels that take other
// slices are the same. Of each parameter, how many bytes behind its beginning that is; empty where
// nothing changes.
std::vector<int64_t> MoveSlices(HloComputation& computation) {
  std::vector<int64_t> offsets(computation.num_parameters());
  for (HloInstruction* parameter : computation.parameter_instructions()) {
    const auto& slices = parameter->users();
    if (slices.empty() || !absl::c_all_of(slices, [](const HloInstruction* user) {
          return user->opcode() == HloOpcode::kSlice;
        })) {
      continue;
    }
    const DimensionVector strides = RowMajorStrides(parameter->shape());
    int64_t elements = 0;
    for (size_t d = 0; d < strides.size(); ++d) {
      int64_t first = slices[0]->slice_starts(d);
      for (const HloInstruction* slice : slices) first = std::min(first, slice->slice_starts(d));
      elements += first * strides[d];
      for (HloInstruction* slice : slices) {
        auto& range = slice->mutable_attributes_as<SliceAttributes>().ranges[d];
        range.start -= first;
        range.limit -= first;
      }
    }
    offsets[parameter->parameter_number()] =
        elements * ShapeUtil::ByteSizeOfPrimitiveType(parameter->shape().element_type());
  }
  const bool changes = absl::c_any_of(offsets, [](int64_t offset) { return offset > 0; });
  return changes ? offsets : std::vector<int64_t>();
}

using Constants = std::vector<const HloInstruction*>;

// More kernels that differ in scalar constants alone become one.
constexpr size_t kMostKernelsOfConstants = 4;

Constants ScalarConstants(const HloComputation& computation) {
  Constants constants;
  for (const HloInstruction* each : computation.MakeInstructionPostOrder()) {
    if (each->opcode() == HloOpcode::kConstant && ShapeUtil::IsEffectiveScalar(each->shape()))
      constants.push_back(each);
  }
  return constants;
}

// Integers are divided by a number that is known in a few instructions, by others one by one.
bool DividesIntegers(const HloComputation& computation) {
  return absl::c_any_of(computation.instructions(), [](const HloInstruction* each) {
    return (each->opcode() == HloOpcode::kDivide || each->opcode() == HloOpcode::kRemainder) &&
           ShapeUtil::ElementIsIntegral(each->shape());
  });
}

// With parameters in place of the constants.
std::unique_ptr<HloComputation> WithParameters(const HloComputation& computation,
                                               const Constants& constants) {
  HloComputation::Replacements replacements;
  int64_t number = computation.num_parameters();
  for (const HloInstruction* constant : constants) {
    replacements[constant] =
        HloInstruction::CreateParameter(number++, constant->shape(), constant->name());
  }
  return computation.CloneWithReplacements(&replacements);
}

// Which kernels fusions launch.
class KernelChooser {
 public:
  explicit KernelChooser(Plan& plan) : plan_(plan) {}

  void Run() {
    ForEachStep(plan_.entry, [&](Step& step) {
      if ((step.kind != Step::Kind::kLaunch && step.kind != Step::Kind::kCall) ||
          step.instruction->opcode() != HloOpcode::kFusion)
        return;
      auto computation = loops::MoveBits(
          loops::MergeDimensions(*step.instruction->fused_instructions_computation()));
      if (step.kind == Step::Kind::kLaunch) step.offsets = MoveSlices(*computation);
      step.kernel = known_.try_emplace(KeyOfKernel(*computation), static_cast<int>(known_.size()))
                        .first->second;
      if (known_.size() > plan_.kernels.size()) plan_.kernels.push_back({std::move(computation)});
    });
    if (plan_.kernels.size() > kMostKernelsOfConstants) ShareConstants();
  }

 private:
  void ShareConstants() {
    const size_t count = plan_.kernels.size();
    std::vector<Constants> constants(count);
    absl::flat_hash_map<std::string, size_t> known;
    std::vector<size_t> first_like(count), alike(count);
    for (size_t i = 0; i < count; ++i) {
      const HloComputation& computation = *plan_.kernels[i].computation;
      first_like[i] = i;
      if (loops::ProductIn(computation) != nullptr || DividesIntegers(computation)) continue;
      constants[i] = ScalarConstants(computation);
      if (constants[i].empty()) continue;
      first_like[i] =
          known.try_emplace(KeyOf(*WithParameters(computation, constants[i])), i).first->second;
      ++alike[first_like[i]];
    }
    std::vector<Kernel> kernels;
    std::vector<int> numbers(count);
    std::vector<std::vector<int>> arrays(count);
    for (size_t i = 0; i < count; ++i) {
      const bool is_shared = alike[first_like[i]] > kMostKernelsOfConstants;
      if (is_shared) {
        for (const HloInstruction* constant : constants[i]) arrays[i].push_back(ArrayOf(*constant));
      }
      if (is_shared && first_like[i] < i) {
        numbers[i] = numbers[first_like[i]];
        continue;
      }
      numbers[i] = static_cast<int>(kernels.size());
      std::unique_ptr<HloComputation>& computation = plan_.kernels[i].computation;
      kernels.push_back(
          {is_shared ? WithParameters(*computation, constants[i]) : std::move(computation)});
    }
    plan_.kernels = std::move(kernels);
    ForEachStep(plan_.entry, [&](Step& step) {
      if (step.kernel < 0) return;
      const std::vector<int>& own = arrays[step.kernel];
      step.kernel = numbers[step.kernel];
      step.reads.insert(step.reads.end(), own.begin(), own.end());
      if (!step.offsets.empty()) step.offsets.resize(step.reads.size());
    });
  }

  // Of a constant of the plan's own.
  int ArrayOf(const HloInstruction& constant) {
    const Literal& literal = constant.literal();
    const auto [known, is_new] = arrays_.try_emplace(
        absl::StrCat(ShapeUtil::HumanString(constant.shape()),
                     absl::string_view(static_cast<const char*>(literal.untyped_data()),
                                       literal.size_bytes())),
        static_cast<int>(plan_.arrays.size()));
    if (!is_new) return known->second;
    auto own = HloInstruction::CreateConstant(literal.Clone());
    own->set_name(std::string(constant.name()));
    Array& array = plan_.arrays.emplace_back(Array{constant.shape(), own.get()});
    array.slot = {Place::kConstant, static_cast<int64_t>(plan_.constants.size())};
    plan_.constants.push_back(own.get());
    plan_.own_constants.push_back(std::move(own));
    return known->second;
  }

  Plan& plan_;
  absl::flat_hash_map<std::string, int> known_;
  absl::flat_hash_map<std::string, int> arrays_;
};

}  // namespace

void ShareUnits(double cost, Step& step) {
  const double of_unit = cost / std::max(1.0, static_cast<double>(step.units));
  const auto least =
      std::max<int64_t>(1, static_cast<int64_t>(kElementsWorthAThread / std::max(1.0, of_unit)));
  step.least = step.units >= 2 * least ? least : 0;
}

std::string KeyOf(const HloComputation& computation) {
  static const HloPrintOptions* const options =
      new HloPrintOptions(HloPrintOptions::Canonical()
                              .set_print_large_constants(true)
                              .set_print_operand_shape(false)
                              .set_include_layout_in_shapes(false)
                              .set_print_frontend_attributes(false)
                              .set_print_original_value(false)
                              .set_print_ids(false));
  return computation.ToString(*options);
}

absl::Status ScheduleKernels(Plan& plan) {
  KernelChooser(plan).Run();
  const loops::Conditions conditions = {
      *plan.target, plan.module->config().debug_options().xla_allow_excess_precision()};
  std::vector<absl::Status> results(plan.kernels.size());
  runtime::ParallelForEach(static_cast<int64_t>(results.size()), [&](int64_t i) {
    absl::StatusOr<loops::Kernel> loops =
        loops::Schedule(*plan.kernels[i].computation, conditions, plan.last_pass);
    results[i] = loops.status();
    if (loops.ok()) plan.kernels[i].loops = *std::move(loops);
  });
  for (const absl::Status& result : results) HILO_RETURN_IF_ERROR(result);
  ForEachStep(plan.entry, [&](Step& step) {
    if (step.kind != Step::Kind::kLaunch) return;
    const loops::Kernel& kernel = plan.kernels[step.kernel].loops;
    step.units = loops::Units(kernel);
    ShareUnits(loops::CostOf(kernel), step);
  });
  return absl::OkStatus();
}

}  // namespace xla::program
