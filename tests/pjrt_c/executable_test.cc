// Executables: compiling, what is known of them, executions, saving and loading.
#include <cstdint>
#include <cstdlib>
#include <random>

#include "tests/pjrt_c/plugin.h"
#include "xla/pjrt/c/pjrt_c_api_ffi_extension.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"
#include "xla/pjrt/c/pjrt_c_api_shardings_extension.h"

namespace hilo_pjrt_test {
namespace {

constexpr char kSumAndProduct[] = R"(
module @sum_and_product {
  func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %sum = stablehlo.add %x, %y : tensor<4xf32>
    %product = stablehlo.multiply %x, %y : tensor<4xf32>
    return %sum, %product : tensor<4xf32>, tensor<4xf32>
  }
})";

// Doubles its argument in its place.
constexpr char kDouble[] = R"(
module @double {
  func.func public @main(%x: tensor<4xf32> {tf.aliasing_output = 0 : i32}) -> tensor<4xf32> {
    %sum = stablehlo.add %x, %x : tensor<4xf32>
    return %sum : tensor<4xf32>
  }
})";

// Each device gets what the other has.
constexpr char kSwap[] = R"(
module @swap attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %other = "stablehlo.collective_permute"(%x) {
      channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %other : tensor<4xf32>
  }
})";

class ExecutableTest : public testing::Test {
 protected:
  Owned<PJRT_Buffer> Numbers(int device = 0) { return Put(client_.get(), {1, 2, 3, 4}, device); }

  Owned<PJRT_Client> client_ = NewClient(2);
};

std::string Fingerprint(PJRT_Executable* executable) {
  auto args =
      Garbage<PJRT_Executable_Fingerprint_Args>(PJRT_Executable_Fingerprint_Args_STRUCT_SIZE);
  args.executable = executable;
  Must(Api().PJRT_Executable_Fingerprint, args);
  return Text(args.executable_fingerprint, args.executable_fingerprint_size);
}

TEST_F(ExecutableTest, KnowsItself) {
  const Owned<PJRT_LoadedExecutable> loaded = Compile(client_.get(), kSumAndProduct, {1});
  const Owned<PJRT_Executable> executable = ExecutableOf(loaded.get());
  auto name = Garbage<PJRT_Executable_Name_Args>(PJRT_Executable_Name_Args_STRUCT_SIZE);
  name.executable = executable.get();
  Must(Api().PJRT_Executable_Name, name);
  EXPECT_EQ(Text(name.executable_name, name.executable_name_size), "sum_and_product");
  auto replicas =
      Garbage<PJRT_Executable_NumReplicas_Args>(PJRT_Executable_NumReplicas_Args_STRUCT_SIZE);
  replicas.executable = executable.get();
  Must(Api().PJRT_Executable_NumReplicas, replicas);
  EXPECT_EQ(replicas.num_replicas, 1u);
  auto partitions =
      Garbage<PJRT_Executable_NumPartitions_Args>(PJRT_Executable_NumPartitions_Args_STRUCT_SIZE);
  partitions.executable = executable.get();
  Must(Api().PJRT_Executable_NumPartitions, partitions);
  EXPECT_EQ(partitions.num_partitions, 1u);
  auto outputs =
      Garbage<PJRT_Executable_NumOutputs_Args>(PJRT_Executable_NumOutputs_Args_STRUCT_SIZE);
  outputs.executable = executable.get();
  Must(Api().PJRT_Executable_NumOutputs, outputs);
  EXPECT_EQ(outputs.num_outputs, 2u);
  auto code = Garbage<PJRT_Executable_SizeOfGeneratedCodeInBytes_Args>(
      PJRT_Executable_SizeOfGeneratedCodeInBytes_Args_STRUCT_SIZE);
  code.executable = executable.get();
  Must(Api().PJRT_Executable_SizeOfGeneratedCodeInBytes, code);
  EXPECT_GE(code.size_in_bytes, 0);
  auto types = Garbage<PJRT_Executable_OutputElementTypes_Args>(
      PJRT_Executable_OutputElementTypes_Args_STRUCT_SIZE);
  types.executable = executable.get();
  Must(Api().PJRT_Executable_OutputElementTypes, types);
  ASSERT_EQ(types.num_output_types, 2u);
  EXPECT_EQ(types.output_types[1], PJRT_Buffer_Type_F32);
  auto dims = Garbage<PJRT_Executable_OutputDimensions_Args>(
      PJRT_Executable_OutputDimensions_Args_STRUCT_SIZE);
  dims.executable = executable.get();
  Must(Api().PJRT_Executable_OutputDimensions, dims);
  ASSERT_EQ(dims.num_outputs, 2u);
  EXPECT_EQ(dims.dim_sizes[1], 1u);
  EXPECT_EQ(dims.dims[1], 4);
  auto kinds = Garbage<PJRT_Executable_OutputMemoryKinds_Args>(
      PJRT_Executable_OutputMemoryKinds_Args_STRUCT_SIZE);
  kinds.executable = executable.get();
  Must(Api().PJRT_Executable_OutputMemoryKinds, kinds);
  ASSERT_EQ(kinds.num_outputs, 2u);
  EXPECT_EQ(Text(kinds.memory_kinds[1], kinds.memory_kind_sizes[1]), "device");
  auto parameters = Garbage<PJRT_Executable_ParameterMemoryKinds_Args>(
      PJRT_Executable_ParameterMemoryKinds_Args_STRUCT_SIZE);
  parameters.executable = executable.get();
  Must(Api().PJRT_Executable_ParameterMemoryKinds, parameters);
  EXPECT_EQ(parameters.num_parameters, 2u);
  auto costs = Garbage<PJRT_Executable_GetCostAnalysis_Args>(
      PJRT_Executable_GetCostAnalysis_Args_STRUCT_SIZE);
  costs.executable = executable.get();
  Must(Api().PJRT_Executable_GetCostAnalysis, costs);
  float flops = -1;
  for (size_t i = 0; i < costs.num_properties; ++i) {
    const PJRT_NamedValue& cost = costs.properties[i];
    ASSERT_EQ(cost.type, PJRT_NamedValue_kFloat);
    if (Text(cost.name, cost.name_size) == "flops") flops = cost.float_value;
  }
  EXPECT_EQ(flops, 8);
  auto memory = Garbage<PJRT_Executable_GetCompiledMemoryStats_Args>(
      PJRT_Executable_GetCompiledMemoryStats_Args_STRUCT_SIZE);
  memory.executable = executable.get();
  Must(Api().PJRT_Executable_GetCompiledMemoryStats, memory);
  EXPECT_EQ(memory.argument_size_in_bytes, 32);
  EXPECT_EQ(memory.output_size_in_bytes, 32);
  EXPECT_EQ(memory.alias_size_in_bytes, 0);
  EXPECT_GE(memory.peak_memory_in_bytes, 64);
  auto options = Garbage<PJRT_Executable_GetCompileOptions_Args>(
      PJRT_Executable_GetCompileOptions_Args_STRUCT_SIZE);
  options.executable = executable.get();
  Must(Api().PJRT_Executable_GetCompileOptions, options);
  EXPECT_GT(options.serialized_bytes_size, 0u);
  options.serialized_compile_options_deleter(options.serialized_compile_options);
}

TEST_F(ExecutableTest, LoadedOnesKnowTheirDevices) {
  const Owned<PJRT_LoadedExecutable> loaded = Compile(client_.get(), kSumAndProduct, {1});
  auto devices = Garbage<PJRT_LoadedExecutable_AddressableDevices_Args>(
      PJRT_LoadedExecutable_AddressableDevices_Args_STRUCT_SIZE);
  devices.executable = loaded.get();
  Must(Api().PJRT_LoadedExecutable_AddressableDevices, devices);
  ASSERT_EQ(devices.num_addressable_devices, 1u);
  EXPECT_EQ(devices.addressable_devices[0], Devices(client_.get())[1]);
  auto ids = Garbage<PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args>(
      PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args_STRUCT_SIZE);
  ids.executable = loaded.get();
  Must(Api().PJRT_LoadedExecutable_AddressableDeviceLogicalIds, ids);
  ASSERT_EQ(ids.num_addressable_device_logical_ids, 1u);
  EXPECT_EQ(ids.addressable_device_logical_ids[0].replica, 0);
  EXPECT_EQ(ids.addressable_device_logical_ids[0].partition, 0);
  auto assignment = Garbage<PJRT_LoadedExecutable_GetDeviceAssignment_Args>(
      PJRT_LoadedExecutable_GetDeviceAssignment_Args_STRUCT_SIZE);
  assignment.executable = loaded.get();
  Must(Api().PJRT_LoadedExecutable_GetDeviceAssignment, assignment);
  EXPECT_EQ(Text(assignment.serialized_bytes, assignment.serialized_bytes_size),
            std::string("\x08\x01\x10\x01\x1a\x03\x0a\x01\x01", 9));
  assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
  auto fingerprint = Garbage<PJRT_LoadedExecutable_Fingerprint_Args>(
      PJRT_LoadedExecutable_Fingerprint_Args_STRUCT_SIZE);
  fingerprint.executable = loaded.get();
  Must(Api().PJRT_LoadedExecutable_Fingerprint, fingerprint);
  EXPECT_EQ(Text(fingerprint.executable_fingerprint, fingerprint.executable_fingerprint_size),
            Fingerprint(ExecutableOf(loaded.get()).get()));
}

TEST_F(ExecutableTest, FingerprintsTellProgramsApart) {
  const auto of = [&](const char* program, int device) {
    return Fingerprint(ExecutableOf(Compile(client_.get(), program, {device}).get()).get());
  };
  EXPECT_EQ(of(kDouble, 0), of(kDouble, 0));
  EXPECT_NE(of(kDouble, 0), of(kSumAndProduct, 0));
  EXPECT_NE(of(kDouble, 0), of(kDouble, 1));
}

TEST_F(ExecutableTest, GivesTheProgramBack) {
  const Owned<PJRT_LoadedExecutable> loaded = Compile(client_.get(), kDouble);
  const Owned<PJRT_Executable> executable = ExecutableOf(loaded.get());
  auto program = Garbage<PJRT_Program>(PJRT_Program_STRUCT_SIZE);
  program.code = nullptr;
  auto args = Garbage<PJRT_Executable_OptimizedProgram_Args>(
      PJRT_Executable_OptimizedProgram_Args_STRUCT_SIZE);
  args.executable = executable.get();
  args.program = &program;
  Must(Api().PJRT_Executable_OptimizedProgram, args);
  EXPECT_EQ(Text(program.format, program.format_size), "mlir");
  std::string code(program.code_size, '\0');
  program.code = code.data();
  Must(Api().PJRT_Executable_OptimizedProgram, args);
  EXPECT_EQ(code, kDouble);
  program.code_size = 3;
  EXPECT_FALSE(Take(Api().PJRT_Executable_OptimizedProgram(&args)).ok());
}

TEST_F(ExecutableTest, ExtensionsTellLayoutsAndShardings) {
  const Owned<PJRT_LoadedExecutable> loaded = Compile(client_.get(), kSumAndProduct);
  const Owned<PJRT_Executable> executable = ExecutableOf(loaded.get());
  for (PJRT_Extension_Base* next = Api().extension_start; next != nullptr; next = next->next) {
    if (next->type == PJRT_Extension_Type_Layouts) {
      const auto& layouts = *reinterpret_cast<PJRT_Layouts_Extension*>(next);
      auto outputs = Garbage<PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args>(
          PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args_STRUCT_SIZE);
      outputs.executable = executable.get();
      Must(layouts.PJRT_Layouts_PJRT_Executable_GetOutputLayouts, outputs);
      EXPECT_EQ(outputs.num_outputs, 2u);
      auto parameters = Garbage<PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args>(
          PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args_STRUCT_SIZE);
      parameters.executable = executable.get();
      Must(layouts.PJRT_Layouts_PJRT_Executable_GetParameterLayouts, parameters);
      EXPECT_EQ(parameters.num_parameters, 2u);
    } else if (next->type == PJRT_Extension_Type_Shardings) {
      const auto& shardings = *reinterpret_cast<PJRT_Shardings_Extension*>(next);
      auto outputs = Garbage<PJRT_Shardings_PJRT_Executable_OutputShardings_Args>(
          PJRT_Shardings_PJRT_Executable_OutputShardings_Args_STRUCT_SIZE);
      outputs.executable = executable.get();
      Must(shardings.PJRT_Shardings_PJRT_Executable_OutputShardings, outputs);
      EXPECT_EQ(outputs.shardings, nullptr);
      auto parameters = Garbage<PJRT_Shardings_PJRT_Executable_ParameterShardings_Args>(
          PJRT_Shardings_PJRT_Executable_ParameterShardings_Args_STRUCT_SIZE);
      parameters.executable = executable.get();
      Must(shardings.PJRT_Shardings_PJRT_Executable_ParameterShardings, parameters);
      EXPECT_EQ(parameters.shardings, nullptr);
    }
  }
}

TEST_F(ExecutableTest, WrongProgramsAndOptionsAreErrors) {
  Owned<PJRT_LoadedExecutable> executable;
  const std::string options = CompileOptions({0});
  EXPECT_FALSE(TryCompile(client_.get(), "module @nothing {", options, executable).ok());
  EXPECT_FALSE(TryCompile(client_.get(), "", options, executable).ok());
  EXPECT_FALSE(TryCompile(client_.get(), "ML\xef\x52\x06", options, executable).ok());
  EXPECT_FALSE(TryCompile(client_.get(), kDouble, "\x1a\x05", executable).ok());
  EXPECT_FALSE(TryCompile(client_.get(), kDouble, CompileOptions({9}), executable).ok());
  std::string code = kDouble;
  auto program = Garbage<PJRT_Program>(PJRT_Program_STRUCT_SIZE);
  program.code = code.data();
  program.code_size = code.size();
  program.format = "python";
  program.format_size = 6;
  auto args = Garbage<PJRT_Client_Compile_Args>(PJRT_Client_Compile_Args_STRUCT_SIZE);
  args.client = client_.get();
  args.program = &program;
  args.compile_options = options.data();
  args.compile_options_size = options.size();
  const Outcome outcome = Take(Api().PJRT_Client_Compile(&args));
  EXPECT_EQ(outcome.code, PJRT_Error_Code_INVALID_ARGUMENT);
  EXPECT_NE(outcome.message.find("python"), std::string::npos);
}

// ---- Executions
// ----------------------------------------------------------------------------------------

TEST_F(ExecutableTest, ComputesAllOutputs) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kSumAndProduct);
  const Owned<PJRT_Buffer> x = Numbers(), y = Put(client_.get(), {10, 20, 30, 40});
  const auto outputs = RunOnce(executable.get(), {x.get(), y.get()});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(Get<float>(outputs[0].get()), (std::vector<float>{11, 22, 33, 44}));
  EXPECT_EQ(Get<float>(outputs[1].get()), (std::vector<float>{10, 40, 90, 160}));
  EXPECT_FALSE(IsDeleted(x.get()));
}

TEST_F(ExecutableTest, WrongArgumentsAreErrors) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kSumAndProduct);
  const Owned<PJRT_Buffer> x = Numbers(), there = Numbers(1), other = Put(client_.get(), {1});
  EXPECT_FALSE(Execute(executable.get(), {{x.get()}}).outcome.ok());
  EXPECT_FALSE(Execute(executable.get(), {{x.get(), nullptr}}).outcome.ok());
  EXPECT_FALSE(Execute(executable.get(), {{x.get(), there.get()}}).outcome.ok());
  EXPECT_FALSE(Execute(executable.get(), {{x.get(), other.get()}}).outcome.ok());
  EXPECT_FALSE(Execute(executable.get(), {{x.get(), x.get()}, {x.get(), x.get()}}).outcome.ok());
  EXPECT_TRUE(Execute(executable.get(), {{x.get(), x.get()}}).outcome.ok());
}

TEST_F(ExecutableTest, DonatedArgumentsAreDeleted) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kDouble);
  const Owned<PJRT_Buffer> x = Numbers(), kept = Numbers();
  const auto doubled = RunOnce(executable.get(), {x.get()});
  EXPECT_TRUE(IsDeleted(x.get()));
  EXPECT_EQ(Get<float>(doubled[0].get()), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_FALSE(Execute(executable.get(), {{x.get()}}).outcome.ok());

  ExecutionOptions options;
  options.non_donatable = {0};
  const Execution execution = Execute(executable.get(), {{kept.get()}}, options);
  EXPECT_TRUE(execution.outcome.ok()) << execution.outcome;
  EXPECT_FALSE(IsDeleted(kept.get()));
  EXPECT_EQ(Get<float>(kept.get()), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ExecutableTest, WhatIsLentStaysAsItIs) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kDouble);
  const Owned<PJRT_Buffer> x = Numbers();
  auto increase = Garbage<PJRT_Buffer_IncreaseExternalReferenceCount_Args>(
      PJRT_Buffer_IncreaseExternalReferenceCount_Args_STRUCT_SIZE);
  auto pointer = Garbage<PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args>(
      PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args_STRUCT_SIZE);
  auto decrease = Garbage<PJRT_Buffer_DecreaseExternalReferenceCount_Args>(
      PJRT_Buffer_DecreaseExternalReferenceCount_Args_STRUCT_SIZE);
  increase.buffer = pointer.buffer = decrease.buffer = x.get();
  Must(Api().PJRT_Buffer_IncreaseExternalReferenceCount, increase);
  Must(Api().PJRT_Buffer_OpaqueDeviceMemoryDataPointer, pointer);
  const auto doubled = RunOnce(executable.get(), {x.get()});
  EXPECT_TRUE(IsDeleted(x.get()));
  EXPECT_EQ(static_cast<const float*>(pointer.device_memory_ptr)[3], 4);
  EXPECT_EQ(Get<float>(doubled[0].get())[3], 8);
  Must(Api().PJRT_Buffer_DecreaseExternalReferenceCount, decrease);
}

TEST_F(ExecutableTest, ErrorsGoWithTheBuffers) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kSumAndProduct);
  const int64_t dims[] = {4};
  auto wrong =
      Garbage<PJRT_Client_CreateErrorBuffer_Args>(PJRT_Client_CreateErrorBuffer_Args_STRUCT_SIZE);
  wrong.client = client_.get();
  wrong.error_code = PJRT_Error_Code_DATA_LOSS;
  wrong.error_message_size = 0;
  wrong.shape_dims = dims;
  wrong.shape_num_dims = 1;
  wrong.shape_element_type = PJRT_Buffer_Type_F32;
  wrong.shape_layout = nullptr;
  wrong.memory = DefaultMemory(Devices(client_.get())[0]);
  wrong.num_payload = 0;
  Must(Api().PJRT_Client_CreateErrorBuffer, wrong);
  const Owned<PJRT_Buffer> lost(wrong.buffer), x = Numbers();
  Execution execution = Execute(executable.get(), {{x.get(), lost.get()}});
  ASSERT_TRUE(execution.outcome.ok()) << execution.outcome;
  EXPECT_EQ(execution.done[0].code, PJRT_Error_Code_DATA_LOSS);
  EXPECT_EQ(ReadyOutcome(execution.outputs[0][1].get()).code, PJRT_Error_Code_DATA_LOSS);
}

TEST_F(ExecutableTest, DevicesRunTogether) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kSwap, {0, 1});
  const Owned<PJRT_Buffer> here = Numbers(), there = Put(client_.get(), {5, 6, 7, 8}, 1);
  Execution execution = Execute(executable.get(), {{here.get()}, {there.get()}});
  ASSERT_TRUE(execution.outcome.ok()) << execution.outcome;
  EXPECT_TRUE(execution.done[1].ok()) << execution.done[1];
  EXPECT_EQ(Get<float>(execution.outputs[0][0].get()), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(Get<float>(execution.outputs[1][0].get()), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ExecutableTest, DevicesMayBeCalledOneByOne) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kSwap, {0, 1});
  const Owned<PJRT_Buffer> here = Numbers(), there = Put(client_.get(), {5, 6, 7, 8}, 1);
  ExecutionOptions options;
  options.device = Devices(client_.get())[0];
  Execution first = Execute(executable.get(), {{here.get()}}, options);
  options.device = Devices(client_.get())[1];
  Execution second = Execute(executable.get(), {{there.get()}}, options);
  ASSERT_TRUE(first.outcome.ok() && second.outcome.ok());
  EXPECT_EQ(Get<float>(first.outputs[0][0].get()), (std::vector<float>{5, 6, 7, 8}));
  EXPECT_EQ(Get<float>(second.outputs[0][0].get()), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(ExecutableTest, EmptyArraysStandForTokens) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), R"(
module @ordered {
  func.func public @main(%t: !stablehlo.token {jax.token = true}, %x: tensor<4xf32>)
      -> (!stablehlo.token {jax.token = true}, tensor<4xf32>) {
    %y = stablehlo.negate %x : tensor<4xf32>
    return %t, %y : !stablehlo.token, tensor<4xf32>
  }
})");
  ASSERT_NE(executable, nullptr);
  const Owned<PJRT_Buffer> x = Numbers();
  Owned<PJRT_Buffer> token =
      Put<char>(client_.get(), Devices(client_.get())[0], PJRT_Buffer_Type_PRED, {}, {0});
  for (int i = 0; i < 2; ++i) {
    auto outputs = RunOnce(executable.get(), {token.get(), x.get()});
    ASSERT_EQ(outputs.size(), 2u);
    token = std::move(outputs[0]);
    auto type = Garbage<PJRT_Buffer_ElementType_Args>(PJRT_Buffer_ElementType_Args_STRUCT_SIZE);
    type.buffer = token.get();
    Must(Api().PJRT_Buffer_ElementType, type);
    EXPECT_EQ(type.type, PJRT_Buffer_Type_TOKEN);
    auto dims = Garbage<PJRT_Buffer_Dimensions_Args>(PJRT_Buffer_Dimensions_Args_STRUCT_SIZE);
    dims.buffer = token.get();
    Must(Api().PJRT_Buffer_Dimensions, dims);
    EXPECT_EQ(dims.num_dims, 0u);
    EXPECT_TRUE(Get<char>(token.get()).empty());
    EXPECT_EQ(Get<float>(outputs[1].get())[3], -4);
  }
}

TEST_F(ExecutableTest, DeletedOnesDoNotRun) {
  const Owned<PJRT_LoadedExecutable> executable = Compile(client_.get(), kDouble);
  auto is_deleted = Garbage<PJRT_LoadedExecutable_IsDeleted_Args>(
      PJRT_LoadedExecutable_IsDeleted_Args_STRUCT_SIZE);
  is_deleted.executable = executable.get();
  Must(Api().PJRT_LoadedExecutable_IsDeleted, is_deleted);
  EXPECT_FALSE(is_deleted.is_deleted);
  auto erase =
      Garbage<PJRT_LoadedExecutable_Delete_Args>(PJRT_LoadedExecutable_Delete_Args_STRUCT_SIZE);
  erase.executable = executable.get();
  Must(Api().PJRT_LoadedExecutable_Delete, erase);
  Must(Api().PJRT_LoadedExecutable_IsDeleted, is_deleted);
  EXPECT_TRUE(is_deleted.is_deleted);
  const Owned<PJRT_Buffer> x = Numbers();
  EXPECT_FALSE(Execute(executable.get(), {{x.get()}}).outcome.ok());
}

TEST_F(ExecutableTest, ContextsTakeWhatHandlersAskFor) {
  PJRT_Extension_Base* const extension = Extension(PJRT_Extension_Type_FFI);
  ASSERT_NE(extension, nullptr);
  const auto& handlers = *reinterpret_cast<PJRT_FFI_Extension*>(extension);
  auto type = Garbage<PJRT_FFI_Type_Register_Args>(PJRT_FFI_Type_Register_Args_STRUCT_SIZE);
  type.type_name = "what_handlers_get";
  type.type_name_size = 17;
  type.type_id = 0;
  type.type_info = nullptr;
  Must(handlers.type_register, type);
  EXPECT_NE(type.type_id, 0);
  auto create =
      Garbage<PJRT_ExecuteContext_Create_Args>(PJRT_ExecuteContext_Create_Args_STRUCT_SIZE);
  Must(Api().PJRT_ExecuteContext_Create, create);
  auto add = Garbage<PJRT_FFI_UserData_Add_Args>(PJRT_FFI_UserData_Add_Args_STRUCT_SIZE);
  add.context = create.context;
  add.user_data = {type.type_id, &type};
  Must(handlers.user_data_add, add);
  EXPECT_EQ(Take(handlers.user_data_add(&add)).code, PJRT_Error_Code_ALREADY_EXISTS);
  auto destroy =
      Garbage<PJRT_ExecuteContext_Destroy_Args>(PJRT_ExecuteContext_Destroy_Args_STRUCT_SIZE);
  destroy.context = create.context;
  Must(Api().PJRT_ExecuteContext_Destroy, destroy);
}

TEST_F(ExecutableTest, ThereAreNoStreamsToReceiveBy) {
  auto destroy = Garbage<PJRT_CopyToDeviceStream_Destroy_Args>(
      PJRT_CopyToDeviceStream_Destroy_Args_STRUCT_SIZE);
  destroy.stream = nullptr;
  Must(Api().PJRT_CopyToDeviceStream_Destroy, destroy);
  auto size = Garbage<PJRT_CopyToDeviceStream_TotalBytes_Args>(
      PJRT_CopyToDeviceStream_TotalBytes_Args_STRUCT_SIZE);
  EXPECT_EQ(Take(Api().PJRT_CopyToDeviceStream_TotalBytes(&size)).code,
            PJRT_Error_Code_UNIMPLEMENTED);
}

// ---- Saved executables
// ---------------------------------------------------------------------------------

std::string Save(PJRT_Executable* executable) {
  auto args = Garbage<PJRT_Executable_Serialize_Args>(PJRT_Executable_Serialize_Args_STRUCT_SIZE);
  args.executable = executable;
  Must(Api().PJRT_Executable_Serialize, args);
  std::string bytes = Text(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

Outcome Restore(PJRT_Client* client, const std::string& bytes, const std::string* options,
                Owned<PJRT_LoadedExecutable>& executable) {
  auto args = Garbage<PJRT_Executable_DeserializeAndLoad_Args>(
      PJRT_Executable_DeserializeAndLoad_Args_STRUCT_SIZE);
  args.client = client;
  args.serialized_executable = bytes.data();
  args.serialized_executable_size = bytes.size();
  args.overridden_serialized_compile_options = options == nullptr ? nullptr : options->data();
  args.overridden_serialized_compile_options_size = options == nullptr ? 0 : options->size();
  args.load_options = nullptr;
  Outcome outcome = Take(Api().PJRT_Executable_DeserializeAndLoad(&args));
  if (outcome.ok()) executable.reset(args.loaded_executable);
  return outcome;
}

TEST_F(ExecutableTest, GoesThroughBytes) {
  const Owned<PJRT_LoadedExecutable> saved = Compile(client_.get(), kDouble);
  const Owned<PJRT_Executable> unloaded = ExecutableOf(saved.get());
  const std::string bytes = Save(unloaded.get());
  const std::string options = CompileOptions({1});
  for (const std::string* const given : {static_cast<const std::string*>(nullptr), &options}) {
    Owned<PJRT_LoadedExecutable> loaded;
    const Outcome outcome = Restore(client_.get(), bytes, given, loaded);
    ASSERT_TRUE(outcome.ok()) << outcome;
    const Owned<PJRT_Buffer> x = Numbers(given == nullptr ? 0 : 1);
    EXPECT_EQ(Get<float>(RunOnce(loaded.get(), {x.get()})[0].get()),
              (std::vector<float>{2, 4, 6, 8}));
    EXPECT_TRUE(IsDeleted(x.get()));
    const Owned<PJRT_Executable> executable = ExecutableOf(loaded.get());
    EXPECT_EQ(Fingerprint(executable.get()), Fingerprint(unloaded.get()));
    auto costs = Garbage<PJRT_Executable_GetCostAnalysis_Args>(
        PJRT_Executable_GetCostAnalysis_Args_STRUCT_SIZE);
    costs.executable = executable.get();
    Must(Api().PJRT_Executable_GetCostAnalysis, costs);
    EXPECT_GT(costs.num_properties, 0u);
    EXPECT_EQ(Save(executable.get()).size(), bytes.size());
  }
}

// The memories of a device have the kinds that the program asks for, also of one that was saved.
TEST_F(ExecutableTest, OutputsLieWhereTheProgramSays) {
  const Owned<PJRT_LoadedExecutable> compiled = Compile(client_.get(), R"(
module @placed {
  func.func public @main(%x: tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32> {mhlo.memory_kind = "pinned_host"}) {
    %y = stablehlo.negate %x : tensor<4xf32>
    return %y, %x : tensor<4xf32>, tensor<4xf32>
  }
})");
  ASSERT_NE(compiled, nullptr);
  Owned<PJRT_LoadedExecutable> restored;
  const Outcome outcome =
      Restore(client_.get(), Save(ExecutableOf(compiled.get()).get()), nullptr, restored);
  ASSERT_TRUE(outcome.ok()) << outcome;
  for (PJRT_LoadedExecutable* const loaded : {compiled.get(), restored.get()}) {
    const Owned<PJRT_Executable> executable = ExecutableOf(loaded);
    auto kinds = Garbage<PJRT_Executable_OutputMemoryKinds_Args>(
        PJRT_Executable_OutputMemoryKinds_Args_STRUCT_SIZE);
    kinds.executable = executable.get();
    Must(Api().PJRT_Executable_OutputMemoryKinds, kinds);
    ASSERT_EQ(kinds.num_outputs, 2u);
    const Owned<PJRT_Buffer> x = Numbers();
    const auto outputs = RunOnce(loaded, {x.get()});
    for (int i = 0; i < 2; ++i) {
      auto memory = Garbage<PJRT_Buffer_Memory_Args>(PJRT_Buffer_Memory_Args_STRUCT_SIZE);
      memory.buffer = outputs[i].get();
      Must(Api().PJRT_Buffer_Memory, memory);
      auto kind = Garbage<PJRT_Memory_Kind_Args>(PJRT_Memory_Kind_Args_STRUCT_SIZE);
      kind.memory = memory.memory;
      Must(Api().PJRT_Memory_Kind, kind);
      const std::string expected = i == 0 ? "device" : "pinned_host";
      EXPECT_EQ(Text(kind.kind, kind.kind_size), expected);
      EXPECT_EQ(Text(kinds.memory_kinds[i], kinds.memory_kind_sizes[i]), expected);
    }
    EXPECT_EQ(Get<float>(outputs[1].get()), (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST_F(ExecutableTest, DamagedBytesAreErrors) {
  const std::string bytes = Save(ExecutableOf(Compile(client_.get(), kDouble).get()).get());
  Owned<PJRT_LoadedExecutable> loaded;
  for (size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 40)
    EXPECT_FALSE(Restore(client_.get(), bytes.substr(0, size), nullptr, loaded).ok()) << size;
  for (size_t i = 0; i < bytes.size(); i += 1 + bytes.size() / 40) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    EXPECT_FALSE(Restore(client_.get(), damaged, nullptr, loaded).ok()) << i;
  }
}

TEST_F(ExecutableTest, CompilesForATopologyAndIsLoadedLater) {
  auto topology = Garbage<PJRT_Client_TopologyDescription_Args>(
      PJRT_Client_TopologyDescription_Args_STRUCT_SIZE);
  topology.client = client_.get();
  Must(Api().PJRT_Client_TopologyDescription, topology);
  std::string code = kDouble;
  const std::string options = CompileOptions({1});
  auto program = Garbage<PJRT_Program>(PJRT_Program_STRUCT_SIZE);
  program.code = code.data();
  program.code_size = code.size();
  program.format = "mlir";
  program.format_size = 4;
  auto compile = Garbage<PJRT_Compile_Args>(PJRT_Compile_Args_STRUCT_SIZE);
  compile.topology = topology.topology;
  compile.program = &program;
  compile.compile_options = options.data();
  compile.compile_options_size = options.size();
  compile.client = nullptr;
  Must(Api().PJRT_Compile, compile);
  const Owned<PJRT_Executable> executable(compile.executable);
  auto load = Garbage<PJRT_Client_Load_Args>(PJRT_Client_Load_Args_STRUCT_SIZE);
  load.client = client_.get();
  load.executable = executable.get();
  load.compile_options = nullptr;
  load.compile_options_size = 0;
  Must(Api().PJRT_Client_Load, load);
  const Owned<PJRT_LoadedExecutable> loaded(load.loaded_executable);
  const Owned<PJRT_Buffer> x = Numbers(1);
  EXPECT_EQ(Get<float>(RunOnce(loaded.get(), {x.get()})[0].get()),
            (std::vector<float>{2, 4, 6, 8}));
}

// ---- Anything in any order
// -----------------------------------------------------------------------------

// Makes, uses, lends, deletes and destroys buffers at random, and knows what each must hold.
class RandomClient {
 public:
  explicit RandomClient(uint32_t seed) : random_(seed), client_(NewClient(2)) {
    for (int device = 0; device < 2; ++device) {
      sums_.push_back(Compile(client_.get(), kSumAndProduct, {device}));
      doubles_.push_back(Compile(client_.get(), kDouble, {device}));
    }
  }

  void Step() {
    switch (Below(8)) {
      case 0:
      case 1:
        return Make();
      case 2:
        return Sum();
      case 3:
        return Double();
      case 4:
        return Copy();
      case 5:
        return Check();
      case 6:
        return Delete();
      case 7:
        if (!entries_.empty()) entries_.erase(entries_.begin() + Below(entries_.size()));
        return;
    }
  }

 private:
  struct Entry {
    Owned<PJRT_Buffer> buffer;
    std::vector<float> values;
    int device;
    bool is_deleted = false;
  };

  size_t Below(size_t count) {
    return std::uniform_int_distribution<size_t>(0, count - 1)(random_);
  }

  void Make() {
    const int device = static_cast<int>(Below(2));
    std::vector<float> values;
    for (int i = 0; i < 4; ++i) values.push_back(static_cast<float>(Below(5)));
    entries_.push_back({Put(client_.get(), values, device), values, device});
  }

  void Sum() {
    if (entries_.empty()) return;
    Entry& x = entries_[Below(entries_.size())];
    Entry& y = entries_[Below(entries_.size())];
    Execution execution = Execute(sums_[x.device].get(), {{x.buffer.get(), y.buffer.get()}});
    ASSERT_EQ(execution.outcome.ok(), x.device == y.device && !x.is_deleted && !y.is_deleted)
        << execution.outcome;
    if (!execution.outcome.ok()) return;
    std::vector<float> sum = x.values;
    for (int i = 0; i < 4; ++i) sum[i] += y.values[i];
    entries_.push_back({std::move(execution.outputs[0][0]), sum, x.device});
  }

  void Double() {
    if (entries_.empty()) return;
    Entry& x = entries_[Below(entries_.size())];
    ExecutionOptions options;
    const bool is_kept = Below(3) == 0;
    if (is_kept) options.non_donatable = {0};
    Execution execution = Execute(doubles_[x.device].get(), {{x.buffer.get()}}, options);
    ASSERT_EQ(execution.outcome.ok(), !x.is_deleted) << execution.outcome;
    if (!execution.outcome.ok()) return;
    if (!is_kept) x.is_deleted = true;
    std::vector<float> doubled = x.values;
    for (float& value : doubled) value *= 2;
    entries_.push_back({std::move(execution.outputs[0][0]), doubled, x.device});
  }

  void Copy() {
    if (entries_.empty()) return;
    Entry& x = entries_[Below(entries_.size())];
    const int device = static_cast<int>(Below(2));
    auto args = Garbage<PJRT_Buffer_CopyToMemory_Args>(PJRT_Buffer_CopyToMemory_Args_STRUCT_SIZE);
    args.buffer = x.buffer.get();
    args.dst_memory = DefaultMemory(Devices(client_.get())[device]);
    const Outcome outcome = Take(Api().PJRT_Buffer_CopyToMemory(&args));
    ASSERT_EQ(outcome.ok(), !x.is_deleted) << outcome;
    if (!outcome.ok()) return;
    entries_.push_back({Owned<PJRT_Buffer>(args.dst_buffer), x.values, device});
  }

  void Check() {
    for (const Entry& entry : entries_) {
      ASSERT_EQ(IsDeleted(entry.buffer.get()), entry.is_deleted);
      if (!entry.is_deleted) {
        ASSERT_EQ(Get<float>(entry.buffer.get()), entry.values);
      }
    }
  }

  void Delete() {
    if (entries_.empty()) return;
    Entry& x = entries_[Below(entries_.size())];
    auto args = Garbage<PJRT_Buffer_Delete_Args>(PJRT_Buffer_Delete_Args_STRUCT_SIZE);
    args.buffer = x.buffer.get();
    Must(Api().PJRT_Buffer_Delete, args);
    x.is_deleted = true;
  }

  std::mt19937 random_;
  Owned<PJRT_Client> client_;
  std::vector<Owned<PJRT_LoadedExecutable>> sums_, doubles_;
  std::vector<Entry> entries_;
};

TEST(SequenceTest, AnythingInAnyOrder) {
  const char* const sequences = std::getenv("HILO_TEST_SEQUENCES");
  const uint32_t count = sequences == nullptr ? 5 : static_cast<uint32_t>(std::atoi(sequences));
  for (uint32_t seed = 1; seed <= count; ++seed) {
    SCOPED_TRACE(seed);
    RandomClient client(seed);
    for (int step = 0; step < 300; ++step) {
      client.Step();
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace hilo_pjrt_test
