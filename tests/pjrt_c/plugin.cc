#include "tests/pjrt_c/plugin.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace hilo_pjrt_test {
namespace {

// Fields of protocol buffers.
void AppendVarint(uint64_t value, std::string& bytes) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}
void AppendNumber(int field, uint64_t value, std::string& bytes) {
  AppendVarint(static_cast<uint64_t>(field) << 3, bytes);
  AppendVarint(value, bytes);
}
void AppendMessage(int field, const std::string& message, std::string& bytes) {
  AppendVarint(static_cast<uint64_t>(field) << 3 | 2, bytes);
  AppendVarint(message.size(), bytes);
  bytes += message;
}

PJRT_NamedValue Named(const char* name, PJRT_NamedValue_Type type) {
  auto option = Garbage<PJRT_NamedValue>(PJRT_NamedValue_STRUCT_SIZE);
  option.name = name;
  option.name_size = std::strlen(name);
  option.type = type;
  option.value_size = 1;
  return option;
}

template <typename Args, typename Object>
void Destroy(PJRT_Error* (*function)(Args*), Object* Args::*field, Object* object, size_t size) {
  auto args = Garbage<Args>(size);
  args.*field = object;
  Must(function, args);
}

}  // namespace

void* Symbol(const char* name) {
  static void* const library = dlopen(HILO_PJRT_LIBRARY, RTLD_LAZY);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
  if (symbol == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::abort();
  }
  return symbol;
}

const PJRT_Api& Api() { return *reinterpret_cast<const PJRT_Api* (*)()>(Symbol("GetPjrtApi"))(); }

Outcome Take(PJRT_Error* error) {
  Outcome outcome;
  if (error == nullptr) return outcome;
  auto code = Garbage<PJRT_Error_GetCode_Args>(PJRT_Error_GetCode_Args_STRUCT_SIZE);
  code.error = error;
  EXPECT_EQ(Api().PJRT_Error_GetCode(&code), nullptr);
  outcome.code = code.code;
  auto message = Garbage<PJRT_Error_Message_Args>(PJRT_Error_Message_Args_STRUCT_SIZE);
  message.error = error;
  Api().PJRT_Error_Message(&message);
  outcome.message = Text(message.message, message.message_size);
  auto destroy = Garbage<PJRT_Error_Destroy_Args>(PJRT_Error_Destroy_Args_STRUCT_SIZE);
  destroy.error = error;
  Api().PJRT_Error_Destroy(&destroy);
  return outcome;
}

PJRT_Extension_Base* Extension(PJRT_Extension_Type type) {
  for (PJRT_Extension_Base* next = Api().extension_start; next != nullptr; next = next->next) {
    if (next->type == type) return next;
  }
  return nullptr;
}

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << outcome.code << ": " << outcome.message;
}

PJRT_NamedValue Option(const char* name, int64_t value) {
  PJRT_NamedValue option = Named(name, PJRT_NamedValue_kInt64);
  option.int64_value = value;
  return option;
}
PJRT_NamedValue Option(const char* name, const char* value) {
  PJRT_NamedValue option = Named(name, PJRT_NamedValue_kString);
  option.string_value = value;
  option.value_size = std::strlen(value);
  return option;
}
PJRT_NamedValue Option(const char* name, bool value) {
  PJRT_NamedValue option = Named(name, PJRT_NamedValue_kBool);
  option.bool_value = value;
  return option;
}

void Destroyer::operator()(PJRT_Client* client) const {
  Destroy(Api().PJRT_Client_Destroy, &PJRT_Client_Destroy_Args::client, client,
          PJRT_Client_Destroy_Args_STRUCT_SIZE);
}
void Destroyer::operator()(PJRT_Buffer* buffer) const {
  Destroy(Api().PJRT_Buffer_Destroy, &PJRT_Buffer_Destroy_Args::buffer, buffer,
          PJRT_Buffer_Destroy_Args_STRUCT_SIZE);
}
void Destroyer::operator()(PJRT_Event* event) const {
  Destroy(Api().PJRT_Event_Destroy, &PJRT_Event_Destroy_Args::event, event,
          PJRT_Event_Destroy_Args_STRUCT_SIZE);
}
void Destroyer::operator()(PJRT_Executable* executable) const {
  Destroy(Api().PJRT_Executable_Destroy, &PJRT_Executable_Destroy_Args::executable, executable,
          PJRT_Executable_Destroy_Args_STRUCT_SIZE);
}
void Destroyer::operator()(PJRT_LoadedExecutable* executable) const {
  Destroy(Api().PJRT_LoadedExecutable_Destroy, &PJRT_LoadedExecutable_Destroy_Args::executable,
          executable, PJRT_LoadedExecutable_Destroy_Args_STRUCT_SIZE);
}
void Destroyer::operator()(PJRT_AsyncHostToDeviceTransferManager* manager) const {
  Destroy(Api().PJRT_AsyncHostToDeviceTransferManager_Destroy,
          &PJRT_AsyncHostToDeviceTransferManager_Destroy_Args::transfer_manager, manager,
          PJRT_AsyncHostToDeviceTransferManager_Destroy_Args_STRUCT_SIZE);
}

Owned<PJRT_Client> NewClient(const std::vector<PJRT_NamedValue>& options) {
  auto args = Garbage<PJRT_Client_Create_Args>(PJRT_Client_Create_Args_STRUCT_SIZE);
  args.create_options = options.data();
  args.num_options = options.size();
  Must(Api().PJRT_Client_Create, args);
  return Owned<PJRT_Client>(args.client);
}

Owned<PJRT_Client> NewClient(int64_t devices) {
  return NewClient({Option("cpu_device_count", devices)});
}

std::vector<PJRT_Device*> Devices(PJRT_Client* client) {
  auto args = Garbage<PJRT_Client_Devices_Args>(PJRT_Client_Devices_Args_STRUCT_SIZE);
  args.client = client;
  Must(Api().PJRT_Client_Devices, args);
  return std::vector<PJRT_Device*>(args.devices, args.devices + args.num_devices);
}

PJRT_Memory* DefaultMemory(PJRT_Device* device) {
  auto args = Garbage<PJRT_Device_DefaultMemory_Args>(PJRT_Device_DefaultMemory_Args_STRUCT_SIZE);
  args.device = device;
  Must(Api().PJRT_Device_DefaultMemory, args);
  return args.memory;
}

Outcome Await(PJRT_Event* event) {
  auto args = Garbage<PJRT_Event_Await_Args>(PJRT_Event_Await_Args_STRUCT_SIZE);
  args.event = event;
  return Take(Api().PJRT_Event_Await(&args));
}

Outcome ReadBytes(PJRT_Buffer* buffer, std::vector<char>& bytes) {
  auto args = Garbage<PJRT_Buffer_ToHostBuffer_Args>(PJRT_Buffer_ToHostBuffer_Args_STRUCT_SIZE);
  args.src = buffer;
  args.host_layout = nullptr;
  args.dst = nullptr;
  if (Outcome outcome = Take(Api().PJRT_Buffer_ToHostBuffer(&args)); !outcome.ok()) return outcome;
  bytes.resize(args.dst_size);
  if (bytes.empty()) return Outcome();
  args.dst = bytes.data();
  if (Outcome outcome = Take(Api().PJRT_Buffer_ToHostBuffer(&args)); !outcome.ok()) return outcome;
  const Owned<PJRT_Event> event(args.event);
  return Await(event.get());
}

bool IsDeleted(PJRT_Buffer* buffer) {
  auto args = Garbage<PJRT_Buffer_IsDeleted_Args>(PJRT_Buffer_IsDeleted_Args_STRUCT_SIZE);
  args.buffer = buffer;
  Must(Api().PJRT_Buffer_IsDeleted, args);
  return args.is_deleted;
}

Outcome ReadyOutcome(PJRT_Buffer* buffer) {
  auto args = Garbage<PJRT_Buffer_ReadyEvent_Args>(PJRT_Buffer_ReadyEvent_Args_STRUCT_SIZE);
  args.buffer = buffer;
  if (Outcome outcome = Take(Api().PJRT_Buffer_ReadyEvent(&args)); !outcome.ok()) return outcome;
  const Owned<PJRT_Event> event(args.event);
  return Await(event.get());
}

std::string CompileOptions(const std::vector<int>& devices) {
  std::string assignment;
  AppendNumber(1, 1, assignment);
  AppendNumber(2, devices.size(), assignment);
  for (const int device : devices) {
    std::string ids, computation;
    AppendVarint(static_cast<uint64_t>(device), ids);
    AppendMessage(1, ids, computation);
    AppendMessage(3, computation, assignment);
  }
  std::string build;
  AppendNumber(1, static_cast<uint64_t>(-1), build);
  AppendNumber(4, 1, build);
  AppendNumber(5, devices.size(), build);
  AppendMessage(9, assignment, build);
  std::string options;
  AppendMessage(3, build, options);
  AppendNumber(5, static_cast<uint64_t>(-1), options);
  return options;
}

Outcome TryCompile(PJRT_Client* client, const std::string& program, const std::string& options,
                   Owned<PJRT_LoadedExecutable>& executable) {
  auto code = Garbage<PJRT_Program>(PJRT_Program_STRUCT_SIZE);
  code.code = const_cast<char*>(program.data());
  code.code_size = program.size();
  code.format = "mlir";
  code.format_size = 4;
  auto args = Garbage<PJRT_Client_Compile_Args>(PJRT_Client_Compile_Args_STRUCT_SIZE);
  args.client = client;
  args.program = &code;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  Outcome outcome = Take(Api().PJRT_Client_Compile(&args));
  if (outcome.ok()) executable.reset(args.executable);
  return outcome;
}

Owned<PJRT_LoadedExecutable> Compile(PJRT_Client* client, const std::string& program,
                                     const std::vector<int>& devices) {
  Owned<PJRT_LoadedExecutable> executable;
  const Outcome outcome = TryCompile(client, program, CompileOptions(devices), executable);
  EXPECT_TRUE(outcome.ok()) << outcome;
  return executable;
}

Owned<PJRT_Executable> ExecutableOf(PJRT_LoadedExecutable* loaded) {
  auto args = Garbage<PJRT_LoadedExecutable_GetExecutable_Args>(
      PJRT_LoadedExecutable_GetExecutable_Args_STRUCT_SIZE);
  args.loaded_executable = loaded;
  Must(Api().PJRT_LoadedExecutable_GetExecutable, args);
  return Owned<PJRT_Executable>(args.executable);
}

Execution Execute(PJRT_LoadedExecutable* executable,
                  const std::vector<std::vector<PJRT_Buffer*>>& arguments,
                  const ExecutionOptions& given) {
  auto count =
      Garbage<PJRT_Executable_NumOutputs_Args>(PJRT_Executable_NumOutputs_Args_STRUCT_SIZE);
  const Owned<PJRT_Executable> unloaded = ExecutableOf(executable);
  count.executable = unloaded.get();
  Must(Api().PJRT_Executable_NumOutputs, count);

  auto options = Garbage<PJRT_ExecuteOptions>(PJRT_ExecuteOptions_STRUCT_SIZE);
  options.send_callbacks = nullptr;
  options.recv_callbacks = nullptr;
  options.num_send_ops = options.num_recv_ops = 0;
  options.launch_id = given.launch_id;
  options.non_donatable_input_indices = given.non_donatable.data();
  options.num_non_donatable_input_indices = given.non_donatable.size();
  options.context = nullptr;
  options.num_hlo_output_callbacks = 0;
  std::vector<PJRT_Buffer* const*> lists;
  for (const std::vector<PJRT_Buffer*>& list : arguments) lists.push_back(list.data());
  std::vector<std::vector<PJRT_Buffer*>> outputs(
      arguments.size(), std::vector<PJRT_Buffer*>(count.num_outputs, nullptr));
  std::vector<PJRT_Buffer**> output_lists;
  for (std::vector<PJRT_Buffer*>& list : outputs) output_lists.push_back(list.data());
  std::vector<PJRT_Event*> events(arguments.size(), nullptr);
  auto args =
      Garbage<PJRT_LoadedExecutable_Execute_Args>(PJRT_LoadedExecutable_Execute_Args_STRUCT_SIZE);
  args.executable = executable;
  args.options = &options;
  args.argument_lists = lists.data();
  args.num_devices = arguments.size();
  args.num_args = arguments.empty() ? 0 : arguments[0].size();
  args.output_lists = output_lists.data();
  args.device_complete_events = events.data();
  args.execute_device = given.device;
  Execution execution;
  execution.outcome = Take(Api().PJRT_LoadedExecutable_Execute(&args));
  if (!execution.outcome.ok()) return execution;
  for (size_t d = 0; d < arguments.size(); ++d) {
    execution.outputs.emplace_back();
    for (PJRT_Buffer* output : outputs[d]) execution.outputs.back().emplace_back(output);
    // One of several that are called one by one need not have begun.
    const Owned<PJRT_Event> event(events[d]);
    if (given.device == nullptr) execution.done.push_back(Await(event.get()));
  }
  return execution;
}

std::vector<Owned<PJRT_Buffer>> RunOnce(PJRT_LoadedExecutable* executable,
                                        const std::vector<PJRT_Buffer*>& arguments) {
  Execution execution = Execute(executable, {arguments});
  EXPECT_TRUE(execution.outcome.ok()) << execution.outcome;
  if (!execution.outcome.ok()) return {};
  EXPECT_TRUE(execution.done[0].ok()) << execution.done[0];
  return std::move(execution.outputs[0]);
}

}  // namespace hilo_pjrt_test
