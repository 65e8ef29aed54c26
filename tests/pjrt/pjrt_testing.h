// What the tests of PJRT share: clients write such things, too.
#ifndef HILO_TESTS_PJRT_PJRT_TESTING_H_
#define HILO_TESTS_PJRT_PJRT_TESTING_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/pjrt/cpu/cpu_client.h"
#include "xla/pjrt/pjrt_client.h"

namespace xla {

inline std::unique_ptr<PjRtClient> MakeClient(int devices = 1, bool asynchronous = true) {
  CpuClientOptions options;
  options.cpu_device_count = devices;
  options.asynchronous = asynchronous;
  return GetPjRtCpuClient(options).value();
}

inline XlaComputation Parse(absl::string_view text) {
  return XlaComputation(ParseAndReturnUnverifiedModule(text).value()->ToProto());
}

inline std::unique_ptr<PjRtLoadedExecutable> CompileText(PjRtClient& client, absl::string_view text,
                                                         int replicas = 1, int partitions = 1) {
  CompileOptions options;
  options.executable_build_options.set_num_replicas(replicas).set_num_partitions(partitions);
  return client.CompileAndLoad(Parse(text), std::move(options)).value();
}

inline PjRtMemorySpace* SpaceOf(PjRtClient& client, int device = 0) {
  return client.devices()[device]->default_memory_space().value();
}

inline std::unique_ptr<PjRtBuffer> Put(PjRtClient& client, const Literal& literal, int device = 0) {
  return client.BufferFromHostLiteral(literal, SpaceOf(client, device)).value();
}

// The results of a program that runs on one device.
inline absl::StatusOr<std::vector<std::unique_ptr<PjRtBuffer>>> RunProgram(
    const PjRtLoadedExecutable& executable, const std::vector<PjRtBuffer*>& arguments,
    const ExecuteOptions& options = {}) {
  auto results = executable.Execute({arguments}, options);
  if (!results.ok()) return results.status();
  return std::move((*results)[0]);
}

// Bytes of buffers on all devices of the client.
inline int64_t BytesInUse(const PjRtClient& client) {
  int64_t bytes = 0;
  for (const PjRtDevice* device : client.addressable_devices())
    bytes += device->GetAllocatorStats().value().bytes_in_use;
  return bytes;
}

// The same, once they are as many as expected: executions whose results nobody wants may still go
// on. At the latest after a while.
inline int64_t BytesInUseInTheEnd(const PjRtClient& client, int64_t expected) {
  for (int i = 0; i < 20000 && BytesInUse(client) != expected; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return BytesInUse(client);
}

inline std::string Message(const absl::Status& status) { return std::string(status.message()); }

}  // namespace xla

#endif  // HILO_TESTS_PJRT_PJRT_TESTING_H_
