// The library as its clients see it: loaded at run time, called through the table alone.
#ifndef HILO_TESTS_PJRT_C_PLUGIN_H_
#define HILO_TESTS_PJRT_C_PLUGIN_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "xla/pjrt/c/pjrt_c_api.h"

namespace hilo_pjrt_test {

// What dlsym finds; aborts where there is none.
void* Symbol(const char* name);
const PJRT_Api& Api();
// Null where the plug-in has no such extension.
PJRT_Extension_Base* Extension(PJRT_Extension_Type type);

// The code and message of an error, which is destroyed. OK for null.
struct Outcome {
  PJRT_Error_Code code = PJRT_Error_Code_OK;
  std::string message;
  bool ok() const { return code == PJRT_Error_Code_OK; }
};
Outcome Take(PJRT_Error* error);
std::ostream& operator<<(std::ostream& out, const Outcome& outcome);

// Arguments for a function of the table. What callers leave uninitialised is garbage.
template <typename Args>
Args Garbage(size_t struct_size) {
  Args args;
  std::memset(&args, 0xA5, sizeof(args));
  args.struct_size = struct_size;
  if constexpr (requires { args.extension_start; }) args.extension_start = nullptr;
  return args;
}

// Calls a function that must succeed.
template <typename Args>
void Must(PJRT_Error* (*function)(Args*), Args& args) {
  const Outcome outcome = Take(function(&args));
  EXPECT_TRUE(outcome.ok()) << outcome;
}

inline std::string Text(const char* data, size_t size) { return std::string(data, size); }

PJRT_NamedValue Option(const char* name, int64_t value);
PJRT_NamedValue Option(const char* name, const char* value);
PJRT_NamedValue Option(const char* name, bool value);

// Objects that are destroyed when their owner goes. They may be moved.
struct Destroyer {
  void operator()(PJRT_Client* client) const;
  void operator()(PJRT_Buffer* buffer) const;
  void operator()(PJRT_Event* event) const;
  void operator()(PJRT_Executable* executable) const;
  void operator()(PJRT_LoadedExecutable* executable) const;
  void operator()(PJRT_AsyncHostToDeviceTransferManager* manager) const;
};
template <typename Object>
using Owned = std::unique_ptr<Object, Destroyer>;

Owned<PJRT_Client> NewClient(const std::vector<PJRT_NamedValue>& options);
Owned<PJRT_Client> NewClient(int64_t devices = 1);
std::vector<PJRT_Device*> Devices(PJRT_Client* client);
PJRT_Memory* DefaultMemory(PJRT_Device* device);

// Waits for the event.
Outcome Await(PJRT_Event* event);

// A dense array, row-major.
template <typename T>
Owned<PJRT_Buffer> Put(PJRT_Client* client, PJRT_Device* device, PJRT_Buffer_Type type,
                       const std::vector<T>& values, const std::vector<int64_t>& dims) {
  auto args = Garbage<PJRT_Client_BufferFromHostBuffer_Args>(
      PJRT_Client_BufferFromHostBuffer_Args_STRUCT_SIZE);
  args.client = client;
  args.data = values.data();
  args.type = type;
  args.dims = dims.data();
  args.num_dims = dims.size();
  args.byte_strides = nullptr;
  args.num_byte_strides = 0;
  args.host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
  args.device = device;
  args.memory = nullptr;
  args.device_layout = nullptr;
  Must(Api().PJRT_Client_BufferFromHostBuffer, args);
  EXPECT_TRUE(Await(args.done_with_host_buffer).ok());
  Destroyer()(args.done_with_host_buffer);
  return Owned<PJRT_Buffer>(args.buffer);
}
inline Owned<PJRT_Buffer> Put(PJRT_Client* client, const std::vector<float>& values,
                              int device = 0) {
  return Put(client, Devices(client)[device], PJRT_Buffer_Type_F32, values,
             {static_cast<int64_t>(values.size())});
}

Outcome ReadBytes(PJRT_Buffer* buffer, std::vector<char>& bytes);
// The elements in row-major order.
template <typename T>
std::vector<T> Get(PJRT_Buffer* buffer) {
  std::vector<char> bytes;
  const Outcome outcome = ReadBytes(buffer, bytes);
  EXPECT_TRUE(outcome.ok()) << outcome;
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}
bool IsDeleted(PJRT_Buffer* buffer);
// That of the value.
Outcome ReadyOutcome(PJRT_Buffer* buffer);

// A serialised CompileOptionsProto for the devices, one partition each.
std::string CompileOptions(const std::vector<int>& devices);
// StableHLO as text.
Outcome TryCompile(PJRT_Client* client, const std::string& program, const std::string& options,
                   Owned<PJRT_LoadedExecutable>& executable);
Owned<PJRT_LoadedExecutable> Compile(PJRT_Client* client, const std::string& program,
                                     const std::vector<int>& devices = {0});
Owned<PJRT_Executable> ExecutableOf(PJRT_LoadedExecutable* loaded);

struct Execution {
  Outcome outcome;
  std::vector<std::vector<Owned<PJRT_Buffer>>> outputs;  // of each device
  std::vector<Outcome> done;
};
struct ExecutionOptions {
  std::vector<int64_t> non_donatable = {};
  int launch_id = 1;
  PJRT_Device* device = nullptr;
};
Execution Execute(PJRT_LoadedExecutable* executable,
                  const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                  const ExecutionOptions& options = {});
// The outputs of one that runs on one device and must succeed.
std::vector<Owned<PJRT_Buffer>> RunOnce(PJRT_LoadedExecutable* executable,
                                        const std::vector<PJRT_Buffer*>& arguments);

}  // namespace hilo_pjrt_test

#endif  // HILO_TESTS_PJRT_C_PLUGIN_H_
