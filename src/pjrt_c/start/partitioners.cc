// Custom calls that callers divide among devices. Frameworks register theirs when they start, so
// they wait here for the core.
#include <string>

#include "pjrt_c/objects/error.h"
#include "pjrt_c/start/core.h"
#include "pjrt_c/start/tables.h"
#include "xla/pjrt/c/pjrt_c_api_custom_partitioner_extension.h"

namespace xla::pjrt_c {
namespace {

using Partitioners = PJRT_Custom_Partitioner_Extension;

const Partitioners& PartitionersOf(const Core& core) {
  const PJRT_Extension_Base* extension = core.api->extension_start;
  while (extension->type != PJRT_Extension_Type_Custom_Partitioner) extension = extension->next;
  return *reinterpret_cast<const Partitioners*>(extension);
}

// Calls the core's function of that place, as soon as it is there.
template <typename Args, PJRT_Error* (*Partitioners::*function)(Args*)>
PJRT_Error* RegisterLater(Args& args) {
  return WhenLoaded(
      [args, name = std::string(args.name, args.name_size)](const Core& core) mutable {
        args.name = name.data();
        return (PartitionersOf(core).*function)(&args);
      });
}

PJRT_Error* RegisterPartitioner(PJRT_Register_Custom_Partitioner_Args& args) {
  const JAX_CustomCallPartitioner_Callbacks* const callbacks = args.callbacks;
  if (callbacks == nullptr || callbacks->partition == nullptr ||
      callbacks->version != PJRT_API_CUSTOM_PARTITIONER_EXTENSION_VERSION) {
    // The core says what is wrong.
    PJRT_Error* error = nullptr;
    if (LoadCore(error) == nullptr) return error;
  }
  return RegisterLater<PJRT_Register_Custom_Partitioner_Args,
                       &Partitioners::register_custom_partitioner>(args);
}

PJRT_Error* RegisterBatchPartitionable(PJRT_Register_Batch_Partitionable_Args& args) {
  return RegisterLater<PJRT_Register_Batch_Partitionable_Args,
                       &Partitioners::register_batch_partitionable>(args);
}

}  // namespace

PJRT_Extension_Base* PartitionersBefore(PJRT_Extension_Base* next) {
  static Partitioners extension = {
      {PJRT_Custom_Partitioner_Extension_STRUCT_SIZE, PJRT_Extension_Type_Custom_Partitioner, next},
      Entry<RegisterPartitioner, PJRT_Register_Custom_Partitioner_Args_STRUCT_SIZE>,
      Entry<RegisterBatchPartitionable, PJRT_Register_Batch_Partitionable_Args_STRUCT_SIZE>};
  return &extension.base;
}

}  // namespace xla::pjrt_c
