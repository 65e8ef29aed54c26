#include "runtime/program.h"

#include <utility>

#include "base/status_macros.h"
#include "runtime/object_code.h"

namespace xla::runtime {

absl::StatusOr<Program> LoadProgram(ProgramImage image, KernelMaker* make_kernel) {
  Program program;
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const ObjectCode> code, ObjectCode::Load(image.objects));
  HILO_ASSIGN_OR_RETURN(void* entry, code->Find(kEntryName));
  program.entry = reinterpret_cast<HiloEntry*>(entry);
  program.code = std::move(code);
  for (const LibraryCall& call : image.calls) {
    HILO_ASSIGN_OR_RETURN(program.calls.emplace_back(), make_kernel(call));
  }
  program.seed = image.seed;
  program.arena_bytes = image.arena_bytes;
  program.constant_memory = std::move(image.constants);
  for (int64_t offset : image.constant_offsets)
    program.constants.push_back(program.constant_memory.get() + offset);
  program.parameter_bytes = std::move(image.parameter_bytes);
  program.result_bytes = std::move(image.result_bytes);
  return program;
}

}  // namespace xla::runtime
