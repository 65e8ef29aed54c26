#include "xla/service/hlo_module_util.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

constexpr char kProgram[] = R"(
HloModule sum, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}
ENTRY e {
  x = f32[2,3] parameter(0)
  ROOT y = f32[2,3] add(x, x)
})";

std::string WriteFile(const std::string& name, const std::string& contents) {
  const std::string path = ::testing::TempDir() + "/hlo_module_util_" + name;
  std::ofstream(path, std::ios::binary) << contents;
  return path;
}

TEST(HloModuleUtilTest, FromText) {
  DebugOptions options;
  options.set_xla_dump_to("somewhere");
  const auto module = CreateModuleFromString(kProgram, options);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ((*module)->name(), "sum");
  EXPECT_EQ((*module)->config().debug_options().xla_dump_to(), "somewhere");
  EXPECT_EQ(CreateModuleFromString("HloModule").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HloModuleUtilTest, FromMessages) {
  const HloModuleProto proto = CreateModuleFromString(kProgram).value()->ToProto();
  const auto module = CreateModuleFromProto(proto);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ((*module)->entry_computation_layout().parameter_layout(0).shape().ToString(true),
            "f32[2,3]{0,1}");
  HloModuleConfig config((*module)->entry_computation()->ComputeProgramShape());
  config.set_replica_count(3);
  EXPECT_EQ(CreateModuleFromProto(proto, config).value()->config().replica_count(), 3);
  HloModuleProto broken = proto;
  broken.mutable_computations(0)->set_root_id(12345);
  EXPECT_FALSE(CreateModuleFromProto(broken).ok());
}

TEST(HloModuleUtilTest, FromFiles) {
  const auto module = CreateModuleFromString(kProgram).value();
  HloProto proto;
  *proto.mutable_hlo_module() = module->ToProto();
  std::string text, module_text;
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(proto, &text));
  ASSERT_TRUE(google::protobuf::TextFormat::PrintToString(proto.hlo_module(), &module_text));

  using Read = absl::StatusOr<std::unique_ptr<HloModule>>;
  const auto expect_read = [&](const Read& read) {
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ((*read)->ToString(), module->ToString());
  };
  expect_read(ReadModuleFromHloTextFile(WriteFile("m.hlo", module->ToString())));
  const std::string binary = WriteFile("m.pb", proto.SerializeAsString());
  expect_read(ReadModuleFromBinaryProtoFile(binary));
  expect_read(ReadModuleFromModuleBinaryProtofile(
      WriteFile("module.pb", proto.hlo_module().SerializeAsString()), DebugOptions()));
  expect_read(ReadModuleFromTextProtoFile(WriteFile("m.pbtxt", text)));
  expect_read(ReadModuleFromModuleTextProtoFile(WriteFile("module.pbtxt", module_text)));

  EXPECT_EQ(ReadModuleFromHloTextFile(::testing::TempDir() + "/absent.hlo").status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(ReadModuleFromTextProtoFile(binary).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HloModuleUtilTest, ConfigurationOfAProgram) {
  const Shape argument = ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1});
  ProgramShape program;
  program.AddParameter(ShapeUtil::MakeShape(F32, {2, 3}), "x");
  *program.mutable_result() = ShapeUtil::MakeShape(F32, {2, 3});
  ExecutionOptions options;
  options.set_seed(7);
  options.set_num_replicas(2);
  options.set_num_partitions(4);

  const auto config = CreateModuleConfig(program, {&argument}, &options, 5);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ((*config)->seed(), 7);
  EXPECT_EQ((*config)->replica_count(), 2);
  EXPECT_EQ((*config)->num_partitions(), 4);
  EXPECT_EQ((*config)->entry_computation_layout().parameter_shape(0), argument);
  EXPECT_EQ(CreateModuleConfig(program, {&argument}, nullptr, 5).value()->replica_count(), 5);

  const Shape other = ShapeUtil::MakeShape(F32, {3, 3});
  EXPECT_EQ(CreateModuleConfig(program, {&other}, &options, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(CreateModuleConfig(program, {}, &options, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(HloModuleUtilTest, LayoutsOfADevice) {
  const auto module = CreateModuleFromString(kProgram).value();
  UpdateEntryComputationLayout(module.get(), [](const Shape& shape) {
    return ShapeUtil::MakeShapeWithDenseLayout(shape.element_type(), shape.dimensions(), {0, 1});
  });
  EXPECT_EQ(module->entry_computation_layout().result_shape().ToString(true), "f32[2,3]{0,1}");
}

}  // namespace
}  // namespace xla
