#include "cpu/emit/kernel_set.h"

#include <memory>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cpu/emit/kernel.h"
#include "cpu/plan/dimensions.h"
#include "cpu/plan/memory.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/shape_util.h"

namespace xla::cpu {
namespace {

// So many instructions of kernels are worth a unit: less takes LLVM longer to begin than to do.
constexpr int64_t kInstructionsOfUnit = 40;

// Kernels [begin, end) of a set.
struct Stretch {
  size_t begin, end;
};

std::vector<Stretch> Stretches(absl::Span<const std::unique_ptr<HloComputation>> kernels) {
  std::vector<Stretch> stretches;
  int64_t instructions = kInstructionsOfUnit;
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (instructions >= kInstructionsOfUnit) {
      stretches.push_back({i, i});
      instructions = 0;
    }
    instructions += kernels[i]->instruction_count();
    stretches.back().end = i + 1;
  }
  return stretches;
}

}  // namespace

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

bool HasNoElements(const HloInstruction& instruction) {
  return absl::c_all_of(ArrayLeaves(instruction.shape()),
                        [](const Shape& leaf) { return ShapeUtil::ByteSizeOf(leaf) == 0; });
}

absl::StatusOr<KernelSet> KernelSet::Make(const HloModule& module, const codegen::Target& target,
                                          Units& units) {
  KernelSet set;
  std::vector<std::unique_ptr<HloComputation>> kernels;
  absl::flat_hash_map<std::string, size_t> known;
  for (const HloComputation* computation : module.MakeNonfusionComputations()) {
    for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
      // Rows without elements can be more than anybody would wait for.
      if (instruction->opcode() != HloOpcode::kFusion || HasNoElements(*instruction)) continue;
      std::unique_ptr<HloComputation> kernel =
          MergeDimensions(*instruction->fused_instructions_computation());
      const auto [found, is_new] = known.try_emplace(KeyOf(*kernel), kernels.size());
      set.numbers_[instruction] = found->second;
      if (is_new) kernels.push_back(std::move(kernel));
    }
  }
  const std::vector<Stretch> stretches = Stretches(kernels);
  // A single one would keep nobody busy besides the unit that calls it.
  const size_t first_unit = stretches.size() > 1 ? units.size() : 0;
  while (units.size() < first_unit + stretches.size())
    units.push_back(std::make_unique<Unit>(module, target));
  set.entries_.resize(kernels.size());
  HILO_RETURN_IF_ERROR(
      ForEachAtOnce(static_cast<int64_t>(stretches.size()), [&](int64_t unit) -> absl::Status {
        for (size_t i = stretches[unit].begin; i < stretches[unit].end; ++i) {
          const std::string name = absl::StrCat("kernel_", i);
          HILO_ASSIGN_OR_RETURN(const Kernel kernel,
                                EmitKernel(*units[first_unit + unit], *kernels[i], name));
          set.entries_[i] = {name, kernel.rows, kernel.cost_of_row};
        }
        return absl::OkStatus();
      }));
  return set;
}

}  // namespace xla::cpu
