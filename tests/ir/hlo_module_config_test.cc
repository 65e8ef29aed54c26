#include "xla/service/hlo_module_config.h"

#include "absl/status/status_matchers.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "xla/layout_util.h"
#include "xla/service/computation_placer.h"
#include "xla/shape_util.h"

namespace xla {
namespace {

using ::absl_testing::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

ProgramShape TransposedProgram() {
  ProgramShape shape;
  shape.AddParameter(ShapeUtil::MakeShapeWithDenseLayout(F32, {2, 3}, {0, 1}), "p");
  shape.AddParameter(ShapeUtil::MakeShape(S32, {}), "q");
  *shape.mutable_result() = ShapeUtil::MakeShapeWithDenseLayout(F32, {3, 2}, {0, 1});
  return shape;
}

TEST(ComputationLayoutTest, Text) {
  EXPECT_EQ(ComputationLayout(TransposedProgram(), /*ignore_layouts=*/false).ToString(),
            "(f32[2,3]{0,1}, s32[])->f32[3,2]{0,1}");
  EXPECT_EQ(ComputationLayout(TransposedProgram()).ToString(),
            "(f32[2,3]{1,0}, s32[])->f32[3,2]{1,0}");
  ComputationLayout many((ShapeLayout(ShapeUtil::MakeNil())));
  for (int i = 0; i < 7; ++i) many.add_parameter_layout(ShapeLayout(ShapeUtil::MakeShape(F32, {})));
  EXPECT_EQ(many.ToString(), "(f32[], f32[], f32[], f32[], f32[], /*index=5*/f32[], f32[])->()");
}

TEST(HloModuleConfigTest, WhereDebugOptionsStart) {
  const HloModuleConfig fresh;
  EXPECT_FALSE(fresh.has_entry_computation_layout());
  EXPECT_TRUE(fresh.debug_options().xla_dump_hlo_as_long_text());
  EXPECT_TRUE(fresh.debug_options().xla_dump_compact_gte());
  EXPECT_EQ(&fresh.debug_options(), &DefaultDebugOptions());

  const HloModuleConfig of_program(TransposedProgram());
  EXPECT_FALSE(of_program.debug_options().xla_dump_hlo_as_long_text());
  EXPECT_EQ(of_program.entry_computation_layout().ToString(),
            "(f32[2,3]{1,0}, s32[])->f32[3,2]{1,0}");
}

TEST(HloModuleConfigTest, ChangingOptionsChangesOneConfig) {
  HloModuleConfig a;
  a.mutable_debug_options().set_xla_dump_to("x");
  HloModuleConfig b = a;
  DebugOptions& kept = a.mutable_debug_options();
  b.mutable_debug_options().set_xla_dump_to("y");
  kept.set_xla_dump_to("z");
  EXPECT_EQ(a.debug_options().xla_dump_to(), "z");
  EXPECT_EQ(b.debug_options().xla_dump_to(), "y");
  EXPECT_EQ(DefaultDebugOptions().xla_dump_to(), "");
  HloModuleConfig c;
  c = std::move(b);
  EXPECT_EQ(c.debug_options().xla_dump_to(), "y");
}

TEST(HloModuleConfigTest, ProtoBothWays) {
  HloModuleConfigProto proto;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
      seed: 7 launch_id: 3 replica_count: 2 num_partitions: 4
      param_requires_broadcast_via_collectives: [true, false] use_spmd_partitioning: true
      use_auto_spmd_partitioning: true auto_spmd_partitioning_mesh_shape: [2, 2]
      auto_spmd_partitioning_mesh_ids: [0, 1, 2, 3] optimization_level: EFFORT_O2
      memory_fitting_level: EFFORT_O3 deduplicate_hlo: true intra_op_parallelism_threads: 8
      device_type: "cpu" debug_options { xla_dump_to: "d" }
      static_device_assignment { replica_count: 2 computation_count: 1
                                 computation_devices { replica_device_ids: [1, 0] } }
      allow_separate_sharding_programs: true
      shardable_value_update_pairs { input_parameter_number: 1 parameter_shape_index: 2
                                     output_shape_index: [3, 4] }
      alias_passthrough_params: true content_aware_computation_sorting: true
      fusion_config { vals: [true, false] } dot_config { key: "k" value { vals: 1 } }
      layout_config { lists { vals: [1, 2] } } memory_space_assignment_config: 5
      phase_ordering_config { vals: true } phase_index: 2
      allow_spmd_sharding_propagation_to_parameters: [true, false]
      allow_spmd_sharding_propagation_to_output: true analysis_allowance_map { key: "a" value: 1 }
      matrix_unit_operand_precision: HIGH fdo_profile: "\001\002" device_memory_size: 100
      use_shardy_partitioner: true sharding_config { nodes { } }
      schedule_config { sequence { name: "s" } } partition_size: 6 page_size_kib: 4)",
                                                            &proto));
  *proto.mutable_entry_computation_layout() = TransposedProgram().ToProto();
  proto.mutable_entry_computation_layout()->clear_parameter_names();
  for (int i = 0; i < 2; ++i) proto.mutable_entry_computation_layout()->add_parameter_names("");
  const auto config = HloModuleConfig::CreateFromProto(proto);
  ASSERT_THAT(config, absl_testing::IsOk());
  EXPECT_EQ((*config)->ToProto().DebugString(), proto.DebugString());
  EXPECT_EQ((*config)->replica_count(), 2);
  EXPECT_EQ((*config)->static_device_assignment().DeviceId(0, 0), 1);
  EXPECT_EQ((*config)->entry_computation_layout().ToString(),
            "(f32[2,3]{0,1}, s32[])->f32[3,2]{0,1}");
  EXPECT_THAT((*config)->auto_spmd_partitioning_mesh_shape(), ElementsAre(2, 2));
  EXPECT_NE((*config)->compilation_cache_key(), HloModuleConfig().compilation_cache_key());
  const HloModuleConfig copy = **config;
  EXPECT_EQ(copy.compilation_cache_key(), (*config)->compilation_cache_key());
}

TEST(HloModuleConfigTest, RefusesMalformedProtos) {
  const auto status = [](auto change) {
    HloModuleConfigProto proto;
    change(proto);
    return HloModuleConfig::CreateFromProto(proto).status();
  };
  EXPECT_OK(status([](HloModuleConfigProto& proto) {}));
  EXPECT_THAT(status([](HloModuleConfigProto& proto) { proto.set_replica_count(-1); }),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(status([](HloModuleConfigProto& proto) {
                proto.mutable_static_device_assignment()->set_replica_count(2147483647);
                proto.mutable_static_device_assignment()->set_computation_count(2147483647);
              }),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("static_device_assignment")));
  EXPECT_THAT(status([](HloModuleConfigProto& proto) {
                proto.mutable_entry_computation_layout()->mutable_result()->set_element_type(F32);
                proto.mutable_entry_computation_layout()->mutable_result()->add_dimensions(-5);
              }),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(DeviceAssignmentTest, Ids) {
  DeviceAssignment assignment(2, 3);
  EXPECT_TRUE(assignment.IsAll(-1));
  int64_t next = 0;
  for (int64_t& device : assignment) device = next++;
  EXPECT_TRUE(assignment.IsIota());
  EXPECT_EQ(assignment.DeviceId(1, 0), 3);
  EXPECT_EQ(assignment.ReplicaIdForDevice(GlobalDeviceId(5)).value(), 1);
  EXPECT_EQ(assignment.PartitionIdForDevice(GlobalDeviceId(5)).value(), 2);
  EXPECT_THAT(assignment.LogicalIdForDevice(GlobalDeviceId(6)).status(),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(assignment.GetDeviceToLogicalIdMap().size(), 6);
  assignment(0, 0) = 5;
  EXPECT_THAT(assignment.LogicalIdForDevice(GlobalDeviceId(5)).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(assignment.ToString(),
            "DeviceAssignment{replica_count=2, computation_count=3, Computation0{5 3}, "
            "Computation1{1 4}, Computation2{2 5}}");
}

TEST(DeviceAssignmentTest, ProtoBothWays) {
  DeviceAssignment assignment(2, 3);
  int64_t next = 10;
  for (int64_t& device : assignment) device = next--;
  DeviceAssignmentProto proto;
  assignment.Serialize(&proto);
  EXPECT_EQ(*DeviceAssignment::Deserialize(proto).value(), assignment);
  proto.mutable_computation_devices(1)->add_replica_device_ids(7);
  EXPECT_THAT(DeviceAssignment::Deserialize(proto).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(DeviceAssignment::Deserialize(DeviceAssignmentProto()).status(),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace xla
