#include "runtime/program.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "runtime/object_code.h"

namespace xla::runtime {
namespace {

std::string PlaceOf(const OpMetadata& metadata) {
  if (metadata.source_file().empty()) return "";
  return absl::StrCat(metadata.source_file(), ":", metadata.source_line());
}

}  // namespace

absl::Status WithCallPlace(absl::Status status, absl::string_view place) {
  if (status.ok() || place.empty()) return status;
  absl::Status placed(status.code(), absl::StrCat(status.message(), "\n  called at ", place));
  status.ForEachPayload(
      [&](absl::string_view type, const absl::Cord& payload) { placed.SetPayload(type, payload); });
  return placed;
}

absl::StatusOr<Program> LoadProgram(ProgramImage image, KernelMaker* make_kernel) {
  HILO_RETURN_IF_ERROR(image.target.CheckRunsOn(codegen::Target::Host()));
  Program program;
  HILO_ASSIGN_OR_RETURN(std::shared_ptr<const ObjectCode> code,
                        ObjectCode::Load(image.objects, image.name));
  HILO_ASSIGN_OR_RETURN(void* entry, code->Find(kEntryName));
  program.entry = reinterpret_cast<HiloEntry*>(entry);
  program.code = std::move(code);
  for (LibraryCall& call : image.calls) {
    call.instruction_set = image.target.instruction_set;
    program.call_places.push_back(PlaceOf(call.instruction.metadata()));
    program.beside.push_back(call.beside);
    program.call_arrays.push_back(call.operands.size() + call.results.size() +
                                  call.function_arguments.size());
    absl::StatusOr<std::unique_ptr<LibraryKernel>> kernel = make_kernel(call);
    if (!kernel.ok()) return WithCallPlace(kernel.status(), program.call_places.back());
    program.calls.push_back(*std::move(kernel));
  }
  program.seed = image.seed;
  program.keeps_subnormals = image.keeps_subnormals;
  program.arena_bytes = image.arena_bytes;
  program.lists = std::move(image.lists);
  program.constant_memory = std::move(image.constants);
  for (int64_t offset : image.constant_offsets)
    program.constants.push_back(program.constant_memory.get() + offset);
  program.parameter_bytes = std::move(image.parameter_bytes);
  program.result_bytes = std::move(image.result_bytes);
  program.regions = std::move(image.regions);
  program.launch_sites = std::make_unique<LaunchSite[]>(static_cast<size_t>(image.launch_sites));
  program.call_sites = std::make_unique<LaunchSite[]>(image.calls.size());
  return program;
}

}  // namespace xla::runtime
