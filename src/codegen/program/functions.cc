#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "codegen/program/passes.h"
#include "passes/cost.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace xla::program {
namespace {

// More than so many instructions of a computation become several functions: what LLVM does with
// one takes longer than its length says.
constexpr int64_t kMostInstructions = 1000;

// So many times the code of an exponential or the like stands where it is needed; after that it is
// called, since LLVM would take long over thousands of copies.
constexpr int kMostCopies = 128;

// Numbers of functions by what they compute, and how often each is needed in a function.
class CodeCounter {
 public:
  void Count(Block& block) {
    for (Step& step : block.steps) {
      if (step.kind == Step::Kind::kFunction) {
        CodeCounter().Count(step.blocks[0]);
        continue;
      }
      if (step.kind == Step::Kind::kCompute) Count(step);
      for (Block& inner : step.blocks) Count(inner);
    }
  }

 private:
  void Count(Step& step) {
    const HloInstruction& instruction = *step.instruction;
    if (!instruction.IsElementwise() || !passes::HasManyInstructions(instruction)) return;
    std::string kind = absl::StrCat(HloOpcodeString(instruction.opcode()), " ",
                                    ShapeUtil::HumanString(instruction.shape()));
    for (const HloInstruction* operand : instruction.operands()) {
      if (primitive_util::IsComplexType(operand->shape().element_type())) return;
      absl::StrAppend(&kind, " ", ShapeUtil::HumanString(operand->shape()));
    }
    auto& [number, copies] = copies_.try_emplace(kind, copies_.size(), 0).first->second;
    if (++copies > kMostCopies) step.function = static_cast<int>(number);
  }

  absl::flat_hash_map<std::string, std::pair<size_t, int>> copies_;
};

void Split(Block& block) {
  for (Step& step : block.steps) {
    for (Block& inner : step.blocks) Split(inner);
  }
  const int64_t instructions = block.computation->instruction_count();
  if (instructions <= kMostInstructions) return;
  const size_t count =
      static_cast<size_t>((instructions + kMostInstructions - 1) / kMostInstructions);
  const size_t size = (block.steps.size() + count - 1) / count;
  std::vector<Step> functions;
  for (size_t i = 0; i < block.steps.size(); ++i) {
    // Results are given by the program itself.
    if (block.steps[i].kind == Step::Kind::kReturn) {
      functions.push_back(std::move(block.steps[i]));
      continue;
    }
    if (i % size == 0) {
      functions.push_back({Step::Kind::kFunction});
      functions.back().blocks.push_back({block.computation});
    }
    functions.back().blocks[0].steps.push_back(std::move(block.steps[i]));
  }
  block.steps = std::move(functions);
}

}  // namespace

absl::Status SplitFunctions(Plan& plan) {
  Split(plan.entry);
  CodeCounter().Count(plan.entry);
  return absl::OkStatus();
}

}  // namespace xla::program
