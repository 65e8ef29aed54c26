#include "tools/reduce_module.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "base/status_macros.h"
#include "ir/verifier.h"
#include "passes/passes.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/literal.h"
#include "xla/service/hlo.pb.h"
#include "xla/shape_util.h"
#include "xla/util.h"

namespace xla {
namespace {

// What stands in for an instruction.
struct Stand {
  enum Kind { kParameter, kZero, kOperand } kind;
  int64_t operand = 0;
};
using Stands = absl::flat_hash_map<const HloInstruction*, Stand>;

bool IsLeaf(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kParameter ||
         instruction.opcode() == HloOpcode::kConstant;
}

// A computation that gives some of the results of another one, with stand-ins in it. The entry has
// the parameters that are needed, others keep theirs.
class Rebuilder {
 public:
  Rebuilder(const HloComputation& computation, const Stands& stands)
      : computation_(computation), stands_(stands), builder_(std::string(computation.name())) {}

  std::unique_ptr<HloComputation> Build(absl::Span<const HloInstruction* const> results,
                                        bool as_tuple) {
    if (!computation_.IsEntryComputation()) {
      for (const HloInstruction* parameter : computation_.parameter_instructions())
        AddParameter(*parameter);
    }
    std::vector<HloInstruction*> copies;
    for (const HloInstruction* result : results) copies.push_back(Copy(*result));
    HloInstruction* root = copies[0];
    if (as_tuple) root = builder_.AddInstruction(HloInstruction::CreateTuple(copies));
    return builder_.Build(root);
  }

 private:
  void AddParameter(const HloInstruction& of) {
    copies_[&of] =
        builder_.AddInstruction(HloInstruction::CreateParameter(parameters_++, of.shape(), "p"));
  }

  HloInstruction* Zero(const Shape& shape) {
    Shape sizes = shape;
    sizes.clear_dynamic_dimensions();
    return builder_.AddInstruction(HloInstruction::CreateConstant(Literal::CreateFromShape(sizes)));
  }

  HloInstruction* Copy(const HloInstruction& wanted) {
    std::vector<const HloInstruction*> stack = {&wanted};
    while (!stack.empty()) {
      const HloInstruction& next = *stack.back();
      if (copies_.contains(&next) || TryCopy(next, stack)) stack.pop_back();
    }
    return copies_.at(&wanted);
  }

  // False when others have to be copied first: they are put on the stack.
  bool TryCopy(const HloInstruction& instruction, std::vector<const HloInstruction*>& stack) {
    const auto stand = stands_.find(&instruction);
    if (instruction.opcode() == HloOpcode::kParameter ||
        (stand != stands_.end() && stand->second.kind == Stand::kParameter)) {
      AddParameter(instruction);
      return true;
    }
    if (stand != stands_.end() && stand->second.kind == Stand::kZero) {
      copies_[&instruction] = Zero(instruction.shape());
      return true;
    }
    std::vector<const HloInstruction*> needed(instruction.operands().begin(),
                                              instruction.operands().end());
    if (stand != stands_.end()) needed = {instruction.operand(stand->second.operand)};
    std::vector<HloInstruction*> operands;
    for (const HloInstruction* operand : needed) {
      const auto copy = copies_.find(operand);
      if (copy == copies_.end()) {
        stack.push_back(operand);
      } else {
        operands.push_back(copy->second);
      }
    }
    if (operands.size() < needed.size()) return false;
    copies_[&instruction] = stand != stands_.end()
                                ? operands[0]
                                : builder_.AddInstruction(instruction.CloneWithNewOperands(
                                      instruction.shape(), operands));
    return true;
  }

  const HloComputation& computation_;
  const Stands& stands_;
  HloComputation::Builder builder_;
  int64_t parameters_ = 0;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies_;
};

void ReplaceCallee(HloModule& module, const HloComputation* from, HloComputation* to) {
  for (HloComputation* computation : module.computations()) {
    for (HloInstruction* instruction : computation->instructions()) {
      for (size_t i = 0; i < instruction->called_computations().size(); ++i) {
        if (instruction->called_computations()[i] == from)
          instruction->set_called_computation(static_cast<int64_t>(i), to);
      }
    }
  }
}

// Puts a new computation in the place of an old one.
absl::Status Exchange(HloModule& module, const HloComputation& old,
                      std::unique_ptr<HloComputation> computation) {
  const bool is_entry = old.IsEntryComputation();
  HloComputation* added = module.AddEmbeddedComputation(std::move(computation));
  if (is_entry) {
    module.ReplaceEntryComputation(added);
  } else {
    ReplaceCallee(module, &old, added);
  }
  return module.RemoveUnusedComputations();
}

// Sizes of dimensions wherever shapes say them.
void ForEachSize(ShapeProto& shape, absl::FunctionRef<void(int64_t& size)> visit) {
  for (int64_t& size : *shape.mutable_dimensions()) visit(size);
  for (ShapeProto& element : *shape.mutable_tuple_shapes()) ForEachSize(element, visit);
}

void ForEachSize(ProgramShapeProto& program, absl::FunctionRef<void(int64_t& size)> visit) {
  for (ShapeProto& parameter : *program.mutable_parameters()) ForEachSize(parameter, visit);
  ForEachSize(*program.mutable_result(), visit);
}

void ForEachSize(HloModuleProto& module, absl::FunctionRef<void(int64_t& size)> visit) {
  ForEachSize(*module.mutable_host_program_shape(), visit);
  for (HloComputationProto& computation : *module.mutable_computations()) {
    ForEachSize(*computation.mutable_program_shape(), visit);
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      if (instruction.opcode() != "constant") ForEachSize(*instruction.mutable_shape(), visit);
    }
  }
}

class Reducer {
 public:
  using IsInteresting = absl::FunctionRef<absl::StatusOr<bool>(const HloModule&)>;

  Reducer(const HloModule& module, IsInteresting is_interesting)
      : best_(module.Clone("")), is_interesting_(is_interesting) {}

  absl::StatusOr<std::unique_ptr<HloModule>> Run() {
    best_->clear_schedule();
    HILO_ASSIGN_OR_RETURN(const bool is_interesting, is_interesting_(*best_));
    if (!is_interesting) {
      return InvalidArgument("module %s is not interesting: there is nothing to keep",
                             best_->name());
    }
    for (bool progress = true; progress;) {
      progress = false;
      for (auto step : {&Reducer::ReduceRoots, &Reducer::ReplaceMany, &Reducer::ReplaceOne,
                        &Reducer::Unroll, &Reducer::Shorten}) {
        HILO_ASSIGN_OR_RETURN(const bool reduced, (this->*step)());
        progress |= reduced;
      }
    }
    return std::move(best_);
  }

 private:
  // Smaller in this order is simpler.
  using Cost = std::tuple<int64_t, int64_t, int64_t>;

  static Cost CostOf(const HloModule& module) {
    int64_t operations = 0, leaves = 0, elements = 0;
    for (const HloComputation* computation : module.computations()) {
      for (const HloInstruction* instruction : computation->instructions()) {
        (IsLeaf(*instruction) ? leaves : operations) += 1;
        ShapeUtil::ForEachSubshape(instruction->shape(), [&](const Shape& part, const ShapeIndex&) {
          if (part.IsArray()) elements += std::min<int64_t>(ShapeUtil::ElementsIn(part), 1 << 30);
        });
      }
    }
    return {operations, leaves, elements};
  }

  // Takes a candidate if it is simpler, valid and interesting.
  absl::StatusOr<bool> Take(std::unique_ptr<HloModule> candidate) {
    if (CostOf(*candidate) >= CostOf(*best_) || !VerifyModule(*candidate).ok()) return false;
    HILO_ASSIGN_OR_RETURN(const bool is_interesting, is_interesting_(*candidate));
    if (is_interesting) best_ = std::move(candidate);
    return is_interesting;
  }

  // A copy of the best module so far, one of whose computations is changed by `change`.
  template <typename Change>
  absl::StatusOr<bool> TryIn(const HloComputation& computation, Change&& change) {
    std::unique_ptr<HloModule> candidate = best_->Clone("");
    HloComputation* copy = candidate->GetComputationWithName(computation.name());
    if (copy == nullptr || !change(*candidate, *copy).ok()) return false;
    return Take(std::move(candidate));
  }

  absl::StatusOr<bool> TryResults(const HloComputation& computation,
                                  const std::vector<int64_t>& numbers, bool as_tuple) {
    return TryIn(computation, [&](HloModule& module, HloComputation& copy) {
      std::vector<const HloInstruction*> results;
      for (int64_t number : numbers) results.push_back(copy.root_instruction()->operand(number));
      return Exchange(module, copy, Rebuilder(copy, {}).Build(results, as_tuple));
    });
  }

  // Leaves out results of the entry, and goes from its root to an operand.
  absl::StatusOr<bool> ReduceRoots() {
    bool progress = false;
    for (bool again = true; again; progress |= again) {
      again = false;
      const HloComputation& entry = *best_->entry_computation();
      const int64_t count = entry.root_instruction()->operand_count();
      for (int64_t k = 0; k < count && !again; ++k) {
        HILO_ASSIGN_OR_RETURN(again, TryResults(entry, {k}, /*as_tuple=*/false));
      }
      if (again || entry.root_instruction()->opcode() != HloOpcode::kTuple) continue;
      for (int64_t part = count / 2; part >= 1 && !again; part /= 2) {
        for (int64_t begin = 0; begin < count && !again; begin += part) {
          std::vector<int64_t> others;
          for (int64_t k = 0; k < count; ++k) {
            if (k < begin || k >= begin + part) others.push_back(k);
          }
          if (others.empty()) continue;
          HILO_ASSIGN_OR_RETURN(again, TryResults(entry, others, /*as_tuple=*/true));
        }
      }
    }
    return progress;
  }

  struct Place {
    std::string computation;
    std::vector<std::string> instructions;
  };

  // Operations of all computations, results first.
  std::vector<Place> Operations() const {
    std::vector<Place> places;
    for (const HloComputation* computation : best_->MakeComputationPostOrder()) {
      places.push_back({std::string(computation->name()), {}});
      for (const HloInstruction* instruction : computation->MakeInstructionPostOrder()) {
        if (!IsLeaf(*instruction)) places.back().instructions.emplace_back(instruction->name());
      }
      absl::c_reverse(places.back().instructions);
    }
    absl::c_reverse(places);
    return places;
  }

  absl::StatusOr<bool> TryStands(const std::string& computation,
                                 absl::Span<const std::string> names, Stand stand) {
    const HloComputation* found = best_->GetComputationWithName(computation);
    if (found == nullptr) return false;
    return TryIn(*found, [&](HloModule& module, HloComputation& copy) -> absl::Status {
      Stands stands;
      for (const std::string& name : names) {
        const HloInstruction* instruction = copy.GetInstructionWithName(name);
        if (instruction == nullptr) continue;
        if (!instruction->shape().IsArray() && stand.kind == Stand::kZero) continue;
        if (stand.kind == Stand::kOperand &&
            (stand.operand >= instruction->operand_count() ||
             !ShapeUtil::Compatible(instruction->operand(stand.operand)->shape(),
                                    instruction->shape()))) {
          continue;
        }
        if (instruction != copy.root_instruction() || names.size() == 1)
          stands[instruction] = stand;
      }
      if (stands.empty()) return NotFound("nothing to replace");
      return Exchange(module, copy,
                      Rebuilder(copy, stands).Build({copy.root_instruction()}, false));
    });
  }

  // Parameters in place of many operations at once; zeros where there cannot be more parameters.
  absl::StatusOr<bool> ReplaceMany() {
    bool progress = false;
    for (const auto& [computation, names] : Operations()) {
      const bool is_entry = computation == best_->entry_computation()->name();
      const Stand stand = {is_entry ? Stand::kParameter : Stand::kZero};
      for (size_t part = names.size(); part >= 2; part /= 2) {
        for (size_t begin = 0; begin < names.size(); begin += part) {
          HILO_ASSIGN_OR_RETURN(
              const bool taken,
              TryStands(computation, absl::MakeConstSpan(names).subspan(begin, part), stand));
          progress |= taken;
        }
      }
    }
    return progress;
  }

  absl::StatusOr<bool> ReplaceOne() {
    bool progress = false;
    for (const auto& [computation, names] : Operations()) {
      const bool is_entry = computation == best_->entry_computation()->name();
      for (const std::string& name : names) {
        std::vector<Stand> stands = {{is_entry ? Stand::kParameter : Stand::kZero}};
        for (int64_t k = 0; k < 4; ++k) stands.push_back({Stand::kOperand, k});
        for (const Stand& stand : stands) {
          HILO_ASSIGN_OR_RETURN(const bool taken, TryStands(computation, {name}, stand));
          progress |= taken;
          if (taken) break;
        }
      }
    }
    return progress;
  }

  // Loops and branches become calls, and calls what they call.
  absl::StatusOr<bool> Unroll() {
    std::unique_ptr<HloModule> inlined = best_->Clone("");
    bool progress = false;
    if (passes::InlineCalls(*inlined).ok()) {
      HILO_ASSIGN_OR_RETURN(progress, Take(std::move(inlined)));
    }
    for (const auto& [computation, names] : Operations()) {
      for (const std::string& name : names) {
        for (int64_t branch = 0; branch < 4; ++branch) {
          const HloComputation* found = best_->GetComputationWithName(computation);
          if (found == nullptr) continue;
          HILO_ASSIGN_OR_RETURN(const bool taken,
                                TryIn(*found, [&](HloModule& module, HloComputation& copy) {
                                  return CallOnce(module, copy, name, branch);
                                }));
          progress |= taken;
          if (taken) break;
        }
      }
    }
    return progress;
  }

  static absl::Status CallOnce(HloModule& module, HloComputation& computation,
                               const std::string& name, int64_t branch) {
    HloInstruction* instruction = computation.GetInstructionWithName(name);
    if (instruction == nullptr) return NotFound("%s", name);
    HloInstruction* argument = nullptr;
    HloComputation* callee = nullptr;
    if (instruction->opcode() == HloOpcode::kWhile && branch == 0) {
      argument = instruction->mutable_operand(0);
      callee = instruction->while_body();
    } else if (instruction->opcode() == HloOpcode::kConditional &&
               branch < instruction->branch_count()) {
      argument = instruction->mutable_operand(branch + 1);
      callee = instruction->branch_computation(static_cast<int>(branch));
    }
    if (callee == nullptr) return NotFound("%s has no such callee", name);
    HILO_RETURN_IF_ERROR(computation.ReplaceInstruction(
        instruction, computation.AddInstruction(
                         HloInstruction::CreateCall(instruction->shape(), {argument}, callee))));
    HILO_RETURN_IF_ERROR(passes::InlineCalls(module).status());
    return module.RemoveUnusedComputations();
  }

  // Makes all dimensions of one size shorter at once.
  absl::StatusOr<bool> Shorten() {
    bool progress = false;
    std::set<int64_t> sizes;
    HloModuleProto proto = best_->ToProto();
    ForEachSize(proto, [&](int64_t& size) { sizes.insert(size); });
    for (int64_t from : sizes) {
      for (int64_t to : {int64_t{1}, int64_t{2}, from / 2, from - 1}) {
        if (to < 1 || to >= from) continue;
        HloModuleProto shorter = best_->ToProto();
        ForEachSize(shorter, [&](int64_t& size) {
          if (size == from) size = to;
        });
        auto candidate = HloModule::CreateFromProto(shorter, HloModuleConfig());
        if (!candidate.ok()) continue;
        HILO_ASSIGN_OR_RETURN(const bool taken, Take(*std::move(candidate)));
        progress |= taken;
        if (taken) break;
      }
    }
    return progress;
  }

  std::unique_ptr<HloModule> best_;
  IsInteresting is_interesting_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> ReduceModule(
    const HloModule& module,
    absl::FunctionRef<absl::StatusOr<bool>(const HloModule&)> is_interesting) {
  return Reducer(module, is_interesting).Run();
}

}  // namespace xla
