// Modules from messages and back: what must survive, what is refused, what other writers write
// differently.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr char kModule[] = R"(
HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, must-alias) }, buffer_donor={ (1, {}) }, frontend_attributes={a="b"}

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY e {
  x = f32[4] parameter(0), sharding={replicated}
  y = f32[4] parameter(1), parameter_replication={true}
  n = f32[4] exponential(x), result_accuracy={mode=highest}, origin={{"x"}}, metadata={op_name="n" source_line=3}
  l = pred[4] compare(n, y), direction=LT, type=TOTALORDER
  z = f32[] constant(0)
  r = f32[] reduce(n, z), dimensions={0}, to_apply=add, backend_config={"k":1}
  g = f32[4] all-reduce(n), channel_id=3, replica_groups=[1,2]<=[2], use_global_device_ids=true, to_apply=add
  h = f32[2,2] reshape(g)
  d = f32[2,2] dot(h, h), lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={high,default}
  s = f32[1,2] slice(d), slice={[0:2:2], [0:2:1]}
  ROOT t = (f32[4], pred[4], f32[], f32[1,2]) tuple(n, l, r, s), control-predecessors={h}
}
)";

std::unique_ptr<HloModule> Parse(absl::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

absl::StatusOr<std::unique_ptr<HloModule>> Read(const HloModuleProto& proto) {
  auto config = HloModule::CreateModuleConfigFromProto(proto, DebugOptions());
  if (!config.ok()) return config.status();
  return HloModule::CreateFromProto(proto, *config);
}

std::string Text(const HloModule& module) {
  return module.ToString(HloPrintOptions::Default().set_print_large_constants(true));
}

// The computation or instruction of that name.
HloComputationProto& Computation(HloModuleProto& module, absl::string_view name) {
  for (HloComputationProto& computation : *module.mutable_computations()) {
    if (computation.name() == name) return computation;
  }
  ADD_FAILURE() << name;
  return *module.mutable_computations(0);
}

HloInstructionProto& Instruction(HloModuleProto& module, absl::string_view name) {
  for (HloComputationProto& computation : *module.mutable_computations()) {
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      if (instruction.name() == name) return instruction;
    }
  }
  ADD_FAILURE() << name;
  return *module.mutable_computations(0)->mutable_instructions(0);
}

TEST(HloProtoTest, RoundTrip) {
  const auto module = Parse(kModule);
  const auto again = HloModule::CreateFromProtoWithConfig(module->ToProtoWithConfig());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(Text(**again), Text(*module));
}

TEST(HloProtoTest, IdsHaveTheComputationInTheHighHalf) {
  HloModuleProto proto = Parse(kModule)->ToProto();
  const HloComputationProto& entry = Computation(proto, "e");
  EXPECT_EQ(entry.id(), 1);
  EXPECT_EQ(entry.root_id() >> 32, 1);
  EXPECT_EQ(proto.entry_computation_id(), 1);
  EXPECT_EQ(Instruction(proto, "r").called_computation_ids(0), 0);
}

TEST(HloProtoTest, NamesAreUniqueInTheMessage) {
  const auto module = Parse(kModule);
  for (HloComputation* computation : module->computations()) {
    computation->root_instruction()->set_name("same");
  }
  const HloModuleProto proto = module->ToProto();
  EXPECT_EQ(proto.computations(0).instructions(2).name(), "same");
  EXPECT_EQ(proto.computations(1).instructions().rbegin()->name(), "same.1");
}

TEST(HloProtoTest, FieldsOfOtherVersions) {
  HloModuleProto proto = Parse(kModule)->ToProto();
  proto.add_payloads("first");
  proto.add_payloads("second");
  // Small ids without a computation.
  for (HloComputationProto& computation : *proto.mutable_computations()) {
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      instruction.set_id(instruction.id() & 0xffffffff);
    }
  }
  HloInstructionProto& reduce = Instruction(proto, "r");
  reduce.clear_backend_config();
  reduce.mutable_backend_config_payload()->set_id(1);
  HloInstructionProto& all_reduce = Instruction(proto, "g");
  all_reduce.clear_channel_id();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  all_reduce.set_all_reduce_id(7);
  all_reduce.add_replica_groups()->add_replica_ids(5);
#pragma GCC diagnostic pop
  Instruction(proto, "l").clear_comparison_type();
  const auto module = Read(proto);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_THAT(Text(**module), AllOf(HasSubstr("backend_config=\"second\""),
                                    HasSubstr("channel_id=7, replica_groups={{5}}"),
                                    HasSubstr("compare(%n, %y), direction=LT\n")));
}

TEST(HloProtoTest, ChannelZeroIsAChannel) {
  const auto module = Parse(R"(HloModule m
    ENTRY e {
      x = f32[4] parameter(0)
      a = f32[8] all-gather(x), channel_id=0, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
      ROOT b = f32[16] all-gather(a), replica_groups={{0,1}}, dimensions={0}
    })");
  const auto again = Read(module->ToProto());
  ASSERT_TRUE(again.ok()) << again.status();
  const HloInstruction* root = (*again)->entry_computation()->root_instruction();
  EXPECT_EQ(root->channel_id(), std::nullopt);
  EXPECT_EQ(root->operand(0)->channel_id(), 0);
}

TEST(HloProtoTest, MissingLayoutsAreFilledIn) {
  HloModuleProto proto = Parse(kModule)->ToProto();
  Instruction(proto, "h").mutable_shape()->clear_layout();
  EXPECT_THAT(Text(**Read(proto)), HasSubstr("%h = f32[2,2]{1,0} reshape"));
}

TEST(HloProtoTest, ConstantsWithoutLiteral) {
  HloModuleProto proto = Parse(kModule)->ToProto();
  Instruction(proto, "z").clear_literal();
  const HloModuleConfig config = *HloModule::CreateModuleConfigFromProto(proto, DebugOptions());
  EXPECT_FALSE(HloModule::CreateFromProto(proto, config).ok());
  EXPECT_TRUE(HloModule::CreateFromProto(proto, config, /*prohibit_empty_literal=*/false).ok());
}

TEST(HloProtoTest, ConfigurationFromOptions) {
  const HloModuleProto proto = Parse(kModule)->ToProto();
  ExecutionOptions options;
  options.set_num_replicas(2);
  options.set_num_partitions(3);
  options.set_use_spmd_partitioning(true);
  options.set_seed(42);
  DebugOptions debug_options;
  debug_options.set_xla_dump_to("somewhere");
  const auto config = HloModule::CreateModuleConfigFromProto(proto, debug_options, &options);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->replica_count(), 2);
  EXPECT_EQ(config->num_partitions(), 3);
  EXPECT_TRUE(config->use_spmd_partitioning());
  EXPECT_EQ(config->seed(), 42);
  EXPECT_EQ(config->debug_options().xla_dump_to(), "somewhere");
  EXPECT_EQ(config->entry_computation_layout().parameter_count(), 2);
  Shape other = ShapeUtil::MakeShape(S32, {1});
  other.ToProto(*options.mutable_shape_with_output_layout());
  EXPECT_FALSE(HloModule::CreateModuleConfigFromProto(proto, debug_options, &options).ok());
}

struct BadProto {
  std::string message;  // part of it
  std::function<void(HloModuleProto& proto)> spoil;
};

const std::vector<BadProto>& BadProtos() {
  using Proto = HloModuleProto;
  static const std::vector<BadProto>& list = *new std::vector<BadProto>{
      {"no program shape", [](Proto& p) { p.clear_host_program_shape(); }},
      {"program shape has 1 parameters",
       [](Proto& p) {
         p.mutable_host_program_shape()->mutable_parameters()->RemoveLast();
         p.mutable_host_program_shape()->mutable_parameter_names()->RemoveLast();
       }},
      {"parameter 0 is",
       [](Proto& p) { p.mutable_host_program_shape()->mutable_parameters(0)->set_element_type(S32); }},
      {"entry: no computation has id 99", [](Proto& p) { p.set_entry_computation_id(99); }},
      {"entry: no computation", [](Proto& p) { p.clear_computations(); }},
      {"computation e: id -1", [](Proto& p) { Computation(p, "e").set_id(-1); }},
      {"id 0 is in use already", [](Proto& p) { Computation(p, "e").set_id(0); }},
      {"computation e: root", [](Proto& p) { Computation(p, "e").set_root_id(77); }},
      {"root: no instruction", [](Proto& p) { Computation(p, "add").clear_instructions(); }},
      {"instruction r: no computation before has id 5",
       [](Proto& p) { Instruction(p, "r").set_called_computation_ids(0, 5); }},
      // A computation that calls itself.
      {"instruction r: no computation before has id 1",
       [](Proto& p) { Instruction(p, "r").set_called_computation_ids(0, 1); }},
      {"has 0 called computations instead of 1",
       [](Proto& p) { Instruction(p, "r").clear_called_computation_ids(); }},
      {"computation e: instruction n: Unknown opcode: explode",
       [](Proto& p) { Instruction(p, "n").set_opcode("explode"); }},
      {"has no shape", [](Proto& p) { Instruction(p, "n").clear_shape(); }},
      {"instruction n", [](Proto& p) { Instruction(p, "n").mutable_shape()->set_element_type(
                            PRIMITIVE_TYPE_INVALID); }},
      {"instruction n", [](Proto& p) { Instruction(p, "n").mutable_shape()->set_dimensions(0, -4); }},
      {"instruction n",
       [](Proto& p) { Instruction(p, "n").mutable_shape()->mutable_layout()->add_minor_to_major(7); }},
      {"has 0 operands instead of 1", [](Proto& p) { Instruction(p, "n").clear_operand_ids(); }},
      {"instead of at least 2", [](Proto& p) { Instruction(p, "r").mutable_operand_ids()->Truncate(1); }},
      {"no instruction before has id",
       [](Proto& p) { Instruction(p, "n").set_operand_ids(0, Instruction(p, "t").id()); }},
      {"no instruction before has id",
       [](Proto& p) { Instruction(p, "n").set_operand_ids(0, Instruction(p, "n").id()); }},
      {"is out of range", [](Proto& p) { Instruction(p, "n").set_id(0xffffffff); }},
      {"is in use already",
       [](Proto& p) { Instruction(p, "l").set_id(Instruction(p, "n").id()); }},
      {"two parameters have number 0", [](Proto& p) { Instruction(p, "y").set_parameter_number(0); }},
      {"number 5", [](Proto& p) { Instruction(p, "y").set_parameter_number(5); }},
      {"comparison_direction: unknown value \"XX\"",
       [](Proto& p) { Instruction(p, "l").set_comparison_direction("XX"); }},
      {"comparison_direction: missing",
       [](Proto& p) { Instruction(p, "l").clear_comparison_direction(); }},
      {"comparison_type", [](Proto& p) { Instruction(p, "l").set_comparison_type("?"); }},
      {"literal: missing", [](Proto& p) { Instruction(p, "z").clear_literal(); }},
      {"instruction z",
       [](Proto& p) { Instruction(p, "z").mutable_literal()->add_f32s(1); }},
      {"does not fit the literal",
       [](Proto& p) { Instruction(p, "z").mutable_shape()->set_element_type(S32); }},
      {"instruction x", [](Proto& p) { Instruction(p, "x").mutable_sharding()->set_type(
                            OpSharding::OTHER); }},
      {"operand_precision: unknown value 9",
       [](Proto& p) {
         Instruction(p, "d").mutable_precision_config()->set_operand_precision(
             0, static_cast<PrecisionConfig::Precision>(9));
       }},
      {"instruction g",
       [](Proto& p) {
         Instruction(p, "g").mutable_iota_collective_device_list()->set_num_replica_groups(1 << 30);
       }},
      {"payload 3 of 0",
       [](Proto& p) { Instruction(p, "n").mutable_backend_config_payload()->set_id(3); }},
      {"control", [](Proto& p) {
         Instruction(p, "x").add_control_predecessor_ids(Instruction(p, "t").id());
         Instruction(p, "x").set_name("control");
       }},
      {"module m", [](Proto& p) {
         p.mutable_input_output_alias()->mutable_entries(0)->add_output_shape_index(9);
       }},
      {"module m", [](Proto& p) {
         (*p.mutable_schedule()->mutable_sequences())[1].add_instruction_ids(99);
       }},
      {"module m", [](Proto& p) { p.mutable_spmd_output_sharding()->set_type(OpSharding::OTHER); }},
      {"module m", [](Proto& p) {
         p.mutable_stack_frame_index()->add_stack_frames()->set_file_location_id(4);
       }},
  };
  return list;
}

TEST(HloProtoTest, BadMessagesAreRefused) {
  const HloModuleProto good = Parse(kModule)->ToProto();
  ASSERT_TRUE(Read(good).ok());
  for (size_t i = 0; i < BadProtos().size(); ++i) {
    HloModuleProto bad = good;
    BadProtos()[i].spoil(bad);
    const auto module = Read(bad);
    ASSERT_FALSE(module.ok()) << "case " << i << ", " << BadProtos()[i].message;
    EXPECT_EQ(module.status().code(), absl::StatusCode::kInvalidArgument) << module.status();
    EXPECT_THAT(std::string(module.status().message()), HasSubstr(BadProtos()[i].message))
        << "case " << i;
  }
}

// Whatever is done to the bytes, reading ends with a module or an error.
TEST(HloProtoTest, DamagedBytesNeverCrash) {
  const std::string good = Parse(kModule)->ToProto().SerializeAsString();
  uint32_t random = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int change = 0; change < 3; ++change) {
      random = random * 1664525 + 1013904223;
      bad[(random >> 8) % bad.size()] ^= static_cast<char>(1 << (random % 8));
    }
    HloModuleProto proto;
    if (!proto.ParseFromString(bad)) continue;
    const auto module = Read(proto);
    if (module.ok()) Text(**module);
  }
}

}  // namespace
}  // namespace xla
