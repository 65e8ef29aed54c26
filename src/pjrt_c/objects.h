// What the opaque types of the C interface are.
#ifndef HILO_PJRT_C_OBJECTS_H_
#define HILO_PJRT_C_OBJECTS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "pjrt_c/executable_record.h"
#include "pjrt_c/insight.h"
#include "pjrt_c/objects/client.h"
#include "xla/future.h"
#include "xla/pjrt/c/pjrt_c_api.h"
#include "xla/pjrt/pjrt_client.h"
#include "xla/pjrt/pjrt_compiler.h"

struct PJRT_Event {
  xla::Future<> future;
  std::optional<xla::Promise<>> promise;  // of one that the caller made
};

struct PJRT_Executable {
  std::shared_ptr<xla::pjrt_c::ExecutableRecord> record;
};

struct PJRT_LoadedExecutable {
  PJRT_LoadedExecutable(PJRT_Client* client, std::shared_ptr<xla::pjrt_c::ExecutableRecord> record,
                        std::shared_ptr<xla::PjRtLoadedExecutable> loaded);

  PJRT_Client* const client;
  const std::shared_ptr<xla::pjrt_c::ExecutableRecord> record;
  const std::shared_ptr<xla::PjRtLoadedExecutable> loaded;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  // Of each device those of the outputs; empty where all lie in the default one. The memories of a
  // device are the same memory under several names.
  std::vector<std::vector<xla::pjrt_c::Memory*>> output_memories;

 private:
  void SetOutputMemories(const std::vector<std::string>& kinds);
};

struct PJRT_ExecuteContext {
  struct UserData {
    int64_t type_id;
    void* data;
  };
  absl::InlinedVector<UserData, 1> user_data;

  // For handlers; most executions have none, but are called with a context.
  absl::StatusOr<std::shared_ptr<xla::ExecuteContext>> Make() const;
};

struct PJRT_Buffer {
  PJRT_Buffer(std::unique_ptr<xla::PjRtBuffer> buffer, xla::pjrt_c::Memory* memory)
      : buffer(std::move(buffer)), memory(memory) {}

  const std::unique_ptr<xla::PjRtBuffer> buffer;
  xla::pjrt_c::Memory* const memory;

  // Who lends the memory out. The object stays until the last one has given it back.
  std::mutex mutex;
  int64_t external_references = 0;
  bool is_destroyed = false;
  std::unique_ptr<xla::PjRtBuffer::ExternalReference> external;
  std::unique_ptr<std::vector<int64_t>> logical_dimensions;
  std::unique_ptr<std::vector<size_t>> dynamic_dimensions;
};

namespace xla::pjrt_c {

// Outputs. All events that are ready without an error are the same object, which stays.
PJRT_Event* NewEvent(Future<> future);
PJRT_Buffer* NewBuffer(PJRT_Client* client, std::unique_ptr<PjRtBuffer> buffer);

// The memory where buffers are wanted: the one given or, if it is null, the device's default.
// InvalidArgument where both are.
absl::StatusOr<Memory*> MemoryFor(PJRT_Memory* memory, PJRT_Device* device);

// A text of the version, which is another one for each build of the library.
const std::string& PlatformVersion();

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_OBJECTS_H_
