#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "codegen/program/in_place.h"
#include "codegen/program/passes.h"
#include "codegen/program/plan.h"
#include "xla/util.h"

namespace xla::program {
namespace {

using Kind = Step::Kind;

// Follows what memory and registers hold.
class Verifier {
 public:
  explicit Verifier(const Plan& plan) : plan_(plan) {
    known_.in_memory.resize(plan.arrays.size());
    known_.function.resize(plan.arrays.size(), -1);
    for (size_t i = 0; i < plan.arrays.size(); ++i) {
      const int array = static_cast<int>(i);
      const bool is_inside = plan.arrays[i].inside.has_value();
      known_.in_memory[i] = plan.IsReadOnly(array) && !is_inside;
      writable_.push_back(plan.arrays[i].in_memory && !plan.IsReadOnly(array) &&
                          plan.arrays[i].bytes() > 0);
    }
  }

  absl::Status Run() {
    HILO_RETURN_IF_ERROR(Visit(plan_.entry));
    std::vector<bool> returned(plan_.results.size());
    for (const Step& step : plan_.entry.steps) {
      if (step.kind == Kind::kReturn) returned[step.result] = true;
    }
    for (size_t i = 0; i < plan_.results.size(); ++i) {
      if (returned[i]) continue;
      HILO_RETURN_IF_ERROR(ReadMemory(plan_.results[i]));
      const Slot place = {Place::kResult, static_cast<int64_t>(i)};
      if (plan_.arrays[plan_.results[i]].slot != place)
        return Wrong(plan_.results[i], "is a result that lies elsewhere");
    }
    return absl::OkStatus();
  }

 private:
  struct Known {
    std::vector<bool> in_memory;  // which arrays are there
    std::vector<int> function;    // in whose registers an array is, or -1

    friend bool operator==(const Known&, const Known&) = default;
  };

  absl::Status Wrong(int array, const char* what) const {
    return Internal("program %s: %s %s", plan_.module->name(), plan_.NameOf(array), what);
  }

  // What is known on both ways.
  static Known Both(Known x, const Known& y) {
    for (size_t i = 0; i < x.in_memory.size(); ++i) {
      x.in_memory[i] = x.in_memory[i] && y.in_memory[i];
      if (x.function[i] != y.function[i]) x.function[i] = -1;
    }
    return x;
  }

  // The array whose memory an array is in.
  const Array& MemoryOf(int array) const { return plan_.arrays[plan_.BaseOf(array)]; }

  bool Overlap(int x, int y) const {
    const Array &a = MemoryOf(x), &b = MemoryOf(y);
    return a.slot.place == b.slot.place && a.slot.number == b.slot.number &&
           a.slot.offset < b.slot.offset + b.bytes() && b.slot.offset < a.slot.offset + a.bytes();
  }

  absl::Status ReadMemory(int array) const {
    if (!plan_.arrays[array].in_memory) return Wrong(array, "has no memory, and is read there");
    if (const auto& inside = plan_.arrays[array].inside;
        inside.has_value() && !inside->starts.empty() && known_.function[array] != function_)
      return Wrong(array, "is read where nobody knows its place");
    if (known_.in_memory[array] || plan_.arrays[array].bytes() == 0) return absl::OkStatus();
    return Wrong(array, "is read where it is not written yet, or is overwritten");
  }
  absl::Status Read(int array) const {
    const bool is_register = plan_.arrays[array].in_register && known_.function[array] == function_;
    return is_register ? absl::OkStatus() : ReadMemory(array);
  }

  absl::Status Write(int array) {
    if (plan_.IsReadOnly(array)) return Wrong(array, "is written, but must not be");
    if (!plan_.arrays[array].in_memory) return Wrong(array, "has no memory, and is written there");
    // What a part is written of has its value all the same.
    const auto& inside = plan_.arrays[array].inside;
    const int whole = inside.has_value() ? inside->base : -1;
    for (int i = 0; i < static_cast<int>(plan_.arrays.size()); ++i) {
      if (i != whole && writable_[i] && known_.in_memory[i] && Overlap(i, array))
        known_.in_memory[i] = false;
    }
    known_.in_memory[array] = true;
    return absl::OkStatus();
  }

  absl::Status Define(int array) {
    if (!plan_.arrays[array].in_register) return Write(array);
    known_.function[array] = function_;
    return plan_.arrays[array].in_memory ? Write(array) : absl::OkStatus();
  }

  absl::Status Assign(const std::vector<Assignment>& assignments, const Copies& copies) {
    std::vector<int> copied;
    // What has got its new value does not have the old one any more.
    const auto read_old = [&](int array) {
      return absl::c_linear_search(copied, array)
                 ? Wrong(array, "is overwritten before it is copied")
                 : ReadMemory(array);
    };
    for (const Assignment& each : assignments) HILO_RETURN_IF_ERROR(Read(each.from));
    for (const std::vector<Assignment>& group : copies) {
      for (const Assignment& each : group) HILO_RETURN_IF_ERROR(read_old(each.from));
      for (const Assignment& each : group) {
        HILO_RETURN_IF_ERROR(Write(each.to));
        copied.push_back(each.to);
      }
    }
    for (const Assignment& each : assignments) {
      const Array &to = plan_.arrays[each.to], &from = plan_.arrays[each.from];
      if (to.in_register || absl::c_linear_search(copied, each.to)) continue;
      if (to.bytes() > 0 && to.slot != from.slot) return Wrong(each.to, "is not copied");
      HILO_RETURN_IF_ERROR(read_old(each.from));
      known_.in_memory[each.to] = true;
    }
    for (const Assignment& each : assignments) {
      if (plan_.arrays[each.to].in_register) HILO_RETURN_IF_ERROR(Define(each.to));
    }
    return absl::OkStatus();
  }

  absl::Status Begin(const Step& step) {
    HILO_RETURN_IF_ERROR(Assign(step.assignments, step.copies));
    for (int array : step.uninitialized) HILO_RETURN_IF_ERROR(Write(array));
    return absl::OkStatus();
  }

  absl::Status Visit(const Block& block) {
    for (const Step& step : block.steps) HILO_RETURN_IF_ERROR(Visit(step));
    return Assign(block.assignments, block.copies);
  }

  absl::Status Visit(const Step& step) {
    switch (step.kind) {
      case Kind::kFunction:
        return VisitFunction(step);
      case Kind::kRepeat:
        return Visit(step.blocks[0]);
      case Kind::kAssign:
        return Begin(step);
      case Kind::kSlice:
        return VisitSlice(step);
      case Kind::kWhile:
        return VisitWhile(step);
      case Kind::kConditional:
        return VisitConditional(step);
      case Kind::kReturn:
        return Read(step.reads[0]);
      default:
        return VisitOperation(step);
    }
  }

  absl::Status VisitFunction(const Step& function) {
    const int caller = std::exchange(function_, ++functions_);
    if (function.units > 0) HILO_RETURN_IF_ERROR(CheckUnits(function));
    HILO_RETURN_IF_ERROR(Visit(function.blocks[0]));
    function_ = caller;
    // The stack is gone.
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (plan_.arrays[i].slot.place == Place::kStack) known_.in_memory[i] = false;
    }
    return absl::OkStatus();
  }

  // Threads do not wait for each other, so no two arrays share memory in part, and what is no part
  // of units is each thread's own.
  absl::Status CheckUnits(const Step& function) const {
    const Block& block = function.blocks[0];
    if (block.steps.size() != 1 || block.steps[0].kind != Kind::kWhile)
      return Internal("program %s: a function of units is no loop", plan_.module->name());
    if (const auto by_units = RunsByUnits(plan_, block.steps[0], function.strips); !by_units)
      return Wrong(block.steps[0].writes[0], by_units.Why().c_str());
    std::vector<int> arrays;
    const auto add = [&](const std::vector<int>& some) {
      for (int array : some) {
        if (writable_[array] && !absl::c_linear_search(arrays, array)) arrays.push_back(array);
      }
    };
    ForEachStep(block, [&](const Step& step) {
      if (step.kind != Kind::kCompute) add(step.reads);
      add(step.writes);
    });
    for (int x : arrays) {
      const Array& own = plan_.arrays[x];
      if (own.in_register && own.slot.place != Place::kStack && known_.function[x] < 0)
        return Wrong(x, "is not on the stack of each thread");
      for (int y : arrays) {
        const Array& other = plan_.arrays[y];
        if (Overlap(x, y) && (own.slot != other.slot || own.bytes() != other.bytes()))
          return Wrong(x, "shares memory of other units");
      }
    }
    return absl::OkStatus();
  }

  absl::Status VisitOperation(const Step& step) {
    const bool in_registers = step.kind == Kind::kCompute;
    const auto is_updated = [&](int read, int write) {
      return absl::c_any_of(step.assignments, [&](const Assignment& each) {
        return each.from == read && each.to == write;
      });
    };
    const std::vector<bool> is_joined = JoinedInPlace(plan_, step);
    for (int i = 0; i < static_cast<int>(step.reads.size()); ++i) {
      const int read = step.reads[i];
      const bool in_memory =
          i == step.memory_operand || (step.kind == Kind::kUpdate ? i == 0 : !in_registers);
      HILO_RETURN_IF_ERROR(in_memory ? ReadMemory(read) : Read(read));
      for (int write : step.writes) {
        if (in_memory && !in_registers && writable_[write] && Overlap(read, write) &&
            !is_updated(read, write) && !is_joined[i] && !IsInPlace(step, read, write))
          return Wrong(read, "is read while its memory is written");
      }
    }
    HILO_RETURN_IF_ERROR(Assign(step.assignments, step.copies));
    for (int write : step.writes) HILO_RETURN_IF_ERROR(Define(write));
    return absl::OkStatus();
  }

  absl::Status VisitSlice(const Step& step) {
    if (plan_.arrays[step.reads[0]].inside.has_value())
      return Wrong(step.reads[0], "lies in another array, and others in it");
    HILO_RETURN_IF_ERROR(ReadMemory(step.reads[0]));
    for (size_t i = 1; i < step.reads.size(); ++i) HILO_RETURN_IF_ERROR(Read(step.reads[i]));
    known_.in_memory[step.writes[0]] = true;
    // Where it is, one function knows.
    if (!plan_.arrays[step.writes[0]].inside->starts.empty())
      known_.function[step.writes[0]] = function_;
    return absl::OkStatus();
  }

  bool IsInPlace(const Step& step, int read, int write) const {
    return step.instruction->opcode() == HloOpcode::kFusion &&
           plan_.arrays[read].slot == plan_.arrays[write].slot &&
           plan_.arrays[read].bytes() == plan_.arrays[write].bytes() &&
           ReadsWhereItWrites(step, read, write);
  }

  absl::Status VisitWhile(const Step& loop) {
    HILO_RETURN_IF_ERROR(Begin(loop));
    while (true) {
      const Known before = known_;
      HILO_RETURN_IF_ERROR(Visit(loop.blocks[0]));
      HILO_RETURN_IF_ERROR(Read(loop.condition));
      for (int array : loop.writes) HILO_RETURN_IF_ERROR(Read(array));
      Known after = known_;
      HILO_RETURN_IF_ERROR(Visit(loop.blocks[1]));
      known_ = Both(before, known_);
      if (known_ == before) {
        known_ = std::move(after);
        return absl::OkStatus();
      }
    }
  }

  absl::Status VisitConditional(const Step& conditional) {
    HILO_RETURN_IF_ERROR(Read(conditional.condition));
    const Known before = known_;
    std::optional<Known> after;
    for (const Block& branch : conditional.blocks) {
      known_ = before;
      HILO_RETURN_IF_ERROR(Visit(branch));
      after = after.has_value() ? Both(*std::move(after), known_) : known_;
    }
    known_ = *std::move(after);
    return absl::OkStatus();
  }

  const Plan& plan_;
  Known known_;
  std::vector<bool> writable_;
  int function_ = 0, functions_ = 0;
};

}  // namespace

absl::Status Verify(const Plan& plan) { return Verifier(plan).Run(); }

}  // namespace xla::program
