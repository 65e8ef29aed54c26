// Where a function of a program finds its arrays: in registers, or in memory that the program's
// frame names.
#ifndef HILO_CPU_EMIT_FRAME_H_
#define HILO_CPU_EMIT_FRAME_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/program/plan.h"
#include "cpu/emit/lanes.h"
#include "llvm/IR/Function.h"
#include "runtime/program.h"

namespace xla::cpu {

// The fields of HiloFrame that programs read, by number.
enum FrameField {
  kParameters = runtime::ListedArray::kParameter,
  kResults = runtime::ListedArray::kResult,
  kConstants = runtime::ListedArray::kConstant,
  kArena = runtime::ListedArray::kArena,
  kLists,
  kParallel,
  kCall,
  kFrameFields,
  // Those that few functions read.
  kStamp = kFrameFields,
  kCopy,
};

class Frame {
 public:
  // `function` is empty and gets a HiloFrame as its first argument. Code goes on behind its entry
  // block, whose values are known everywhere. Lists are added to `lists`, those of the program.
  Frame(const program::Plan& plan, std::vector<runtime::ListedArray>& lists, Builder& b,
        llvm::Function* function);

  llvm::Value* Field(FrameField field) const { return fields_[field]; }
  // One of those that few functions read.
  llvm::Value* LoadField(FrameField field);

  // The value of an array in registers, and of one that is read from memory as a whole.
  absl::StatusOr<Lanes> InRegister(int array);
  // Gives an array in registers its value, which is stored as well where it is in memory, too.
  void Define(int array, const Lanes& value);

  llvm::Value* Address(int array) { return Moved(array, Address(plan_.arrays[array].slot)); }
  llvm::Value* Address(const program::Slot& slot);
  // Lets a slice whose start is known only now begin so many bytes behind its slot.
  void MoveSlice(int array, llvm::Value* offset) { slice_offsets_[array] = offset; }

  // A list of where the arrays are that a step reads, and then those that it writes, as it is when
  // the program begins. It lies behind the list added before it; the result has its slots.
  std::vector<program::Slot> AddList(const program::Step& step);
  // Such a list with what is known only now, and behind it compiled functions. Where several
  // threads run the function at once, each has a copy to write to, for whatever is called next.
  llvm::Value* List(const program::Step& step, absl::Span<llvm::Value* const> functions = {},
                    bool runs_at_once = false);

 private:
  // What blocks after that of its definition know of a value in registers.
  struct Register {
    Lanes value;
    const llvm::BasicBlock* block;
    Lanes passed;  // between blocks
  };

  llvm::Value* Moved(int array, llvm::Value* slot);
  llvm::Value* OnStack(int array);
  llvm::AllocaInst* Allocate(llvm::Type* type, uint64_t count);
  llvm::Value* OwnCopy(llvm::Value* list, size_t count);
  llvm::Value* Entry(FrameField field, int64_t number);
  void EndBlock();

  const program::Plan& plan_;
  std::vector<runtime::ListedArray>& lists_;
  Builder& b_;
  llvm::Function* function_;
  llvm::Value* fields_[kFrameFields] = {};
  llvm::AllocaInst* own_list_ = nullptr;  // for whatever is called next
  size_t stores_ = 0;                     // to lists
  absl::flat_hash_map<int, Register> registers_;
  absl::flat_hash_map<int, llvm::Value*> slice_offsets_;
  absl::flat_hash_map<int, llvm::Value*> on_stack_;
};

}  // namespace xla::cpu

#endif  // HILO_CPU_EMIT_FRAME_H_
