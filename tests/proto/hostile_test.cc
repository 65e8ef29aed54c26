// Messages that want to do harm: they may be refused or read, but nothing else may happen.
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/stubs/logging.h"
#include "gtest/gtest.h"
#include "tests/exercise.h"
#include "tests/proto/mutate.h"
#include "tests/text/modules.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"

namespace xla {
namespace {

absl::StatusOr<std::unique_ptr<HloModule>> Read(const HloModuleProto& proto) {
  auto config = HloModule::CreateModuleConfigFromProto(proto, DebugOptions());
  if (!config.ok()) return config.status();
  return HloModule::CreateFromProto(proto, *config, /*prohibit_empty_literal=*/false);
}

void Try(const HloModuleProto& proto) {
  auto module = Read(proto);
  if (!module.ok()) {
    EXPECT_FALSE(module.status().message().empty());
    return;
  }
  Exercise(**module);
}

void TryBytes(const std::string& bytes) {
  HloModuleProto proto;
  if (proto.ParseFromString(bytes)) Try(proto);
}

HloModuleProto ProtoOf(absl::string_view text) {
  auto module = ParseAndReturnUnverifiedModule(text);
  CHECK(module.ok()) << module.status();
  return (*module)->ToProto();
}

class HostileProtoTest : public testing::TestWithParam<NamedText> {
 protected:
  // Messages that are broken on purpose are no news.
  google::protobuf::LogSilencer silencer_;

  HloModuleProto proto() const { return ProtoOf(GetParam().text); }
};

TEST_P(HostileProtoTest, IsReadAsItStands) {
  auto module = Read(proto());
  ASSERT_TRUE(module.ok()) << module.status();
  Exercise(**module);
}

TEST_P(HostileProtoTest, Truncated) {
  const std::string bytes = proto().SerializeAsString();
  for (size_t length = 0; length < bytes.size(); length += 3) TryBytes(bytes.substr(0, length));
}

TEST_P(HostileProtoTest, BytesFlipped) {
  const std::string bytes = proto().SerializeAsString();
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 1 + round % 3; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    TryBytes(damaged);
  }
}

TEST_P(HostileProtoTest, FieldsChanged) {
  const HloModuleProto sound = proto();
  MessageMutator mutator(2);
  for (int round = 0; round < 2000; ++round) {
    HloModuleProto damaged = sound;
    for (int i = 0; i < 1 + round % 3; ++i) mutator.Mutate(&damaged);
    Try(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(Modules, HostileProtoTest, testing::ValuesIn(TestModules()),
                         [](const auto& info) { return std::string(info.param.name); });

// One change each to a module with a call, a tuple and a constant.
struct Damage {
  const char* name;
  std::function<void(HloModuleProto&)> apply;
};

HloInstructionProto* Find(HloModuleProto& proto, absl::string_view name) {
  for (HloComputationProto& computation : *proto.mutable_computations()) {
    for (HloInstructionProto& instruction : *computation.mutable_instructions()) {
      if (instruction.name() == name) return &instruction;
    }
  }
  CHECK(false) << name;
  return nullptr;
}

HloComputationProto* Entry(HloModuleProto& proto) {
  return proto.mutable_computations(proto.computations_size() - 1);
}

class DamagedProtoTest : public testing::TestWithParam<Damage> {};

TEST_P(DamagedProtoTest, IsRefused) {
  HloModuleProto proto = ProtoOf(R"(
callee {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
}
ENTRY e {
  x = f32[2] parameter(0)
  k = f32[2] constant({1, 2})
  s = f32[2] add(x, k)
  c = f32[2] call(s), to_apply=callee
  t = (f32[2], f32[2]) tuple(c, k)
  ROOT g = f32[2] get-tuple-element(t), index=1
})");
  ASSERT_TRUE(Read(proto).ok());
  GetParam().apply(proto);
  auto module = Read(proto);
  EXPECT_FALSE(module.ok() && VerifyModule(**module).ok());
}

INSTANTIATE_TEST_SUITE_P(
    , DamagedProtoTest,
    testing::ValuesIn(std::vector<Damage>{
        {"NoOpcode", [](HloModuleProto& p) { Find(p, "s")->clear_opcode(); }},
        {"UnknownOpcode", [](HloModuleProto& p) { Find(p, "s")->set_opcode("frobnicate"); }},
        {"NoShape", [](HloModuleProto& p) { Find(p, "s")->clear_shape(); }},
        {"NegativeSize",
         [](HloModuleProto& p) { Find(p, "s")->mutable_shape()->set_dimensions(0, -5); }},
        {"SizesOverflow",
         [](HloModuleProto& p) {
           ShapeProto* shape = Find(p, "s")->mutable_shape();
           shape->set_dimensions(0, int64_t{1} << 40);
           shape->add_dimensions(int64_t{1} << 40);
           shape->clear_layout();
           shape->clear_is_dynamic_dimension();
         }},
        {"LayoutOfAnotherRank",
         [](HloModuleProto& p) {
           Find(p, "s")->mutable_shape()->mutable_layout()->add_minor_to_major(1);
         }},
        {"LayoutOutOfRange",
         [](HloModuleProto& p) {
           Find(p, "s")->mutable_shape()->mutable_layout()->set_minor_to_major(0, 1 << 30);
         }},
        {"ElementTypeOutOfRange",
         [](HloModuleProto& p) {
           Find(p, "s")->mutable_shape()->set_element_type(static_cast<PrimitiveType>(4711));
         }},
        {"LiteralTooShort",
         [](HloModuleProto& p) { Find(p, "k")->mutable_literal()->mutable_f32s()->RemoveLast(); }},
        {"LiteralTooLong",
         [](HloModuleProto& p) { Find(p, "k")->mutable_literal()->add_f32s(3); }},
        {"LiteralOfAnotherShape",
         [](HloModuleProto& p) {
           Find(p, "k")->mutable_literal()->mutable_shape()->set_dimensions(0, 1);
         }},
        {"LiteralGigantic",
         [](HloModuleProto& p) {
           for (ShapeProto* shape : {Find(p, "k")->mutable_shape(),
                                     Find(p, "k")->mutable_literal()->mutable_shape()}) {
             shape->set_dimensions(0, int64_t{1} << 50);
           }
         }},
        {"UnknownOperand", [](HloModuleProto& p) { Find(p, "s")->set_operand_ids(0, 99); }},
        {"NegativeOperand", [](HloModuleProto& p) { Find(p, "s")->set_operand_ids(0, -1); }},
        {"OperandOfItself",
         [](HloModuleProto& p) { Find(p, "s")->set_operand_ids(0, Find(p, "s")->id()); }},
        {"OperandThatComesLater",
         [](HloModuleProto& p) { Find(p, "s")->set_operand_ids(0, Find(p, "c")->id()); }},
        {"TooFewOperands", [](HloModuleProto& p) { Find(p, "s")->clear_operand_ids(); }},
        {"OperandsOfAParameter",
         [](HloModuleProto& p) { Find(p, "x")->add_operand_ids(Find(p, "x")->id()); }},
        {"ControlPredecessorOfItself",
         [](HloModuleProto& p) {
           Find(p, "s")->add_control_predecessor_ids(Find(p, "s")->id());
         }},
        {"SameIdTwice", [](HloModuleProto& p) { Find(p, "s")->set_id(Find(p, "x")->id()); }},
        {"UnknownRoot", [](HloModuleProto& p) { Entry(p)->set_root_id(12345); }},
        {"NoInstructions", [](HloModuleProto& p) { Entry(p)->clear_instructions(); }},
        {"ParameterNumberOutOfRange",
         [](HloModuleProto& p) { Find(p, "x")->set_parameter_number(int64_t{1} << 40); }},
        {"ParameterNumberNegative",
         [](HloModuleProto& p) { Find(p, "x")->set_parameter_number(-1); }},
        {"UnknownCallee",
         [](HloModuleProto& p) { Find(p, "c")->set_called_computation_ids(0, 99); }},
        {"NoCallee", [](HloModuleProto& p) { Find(p, "c")->clear_called_computation_ids(); }},
        {"CallsItself",
         [](HloModuleProto& p) { Find(p, "c")->set_called_computation_ids(0, Entry(p)->id()); }},
        {"CallsInACircle",
         [](HloModuleProto& p) {
           HloInstructionProto* negate = Find(p, "n");
           negate->set_opcode("call");
           negate->add_called_computation_ids(Entry(p)->id());
         }},
        {"SameComputationIdTwice",
         [](HloModuleProto& p) { Entry(p)->set_id(p.computations(0).id()); }},
        {"ComputationIdNegative", [](HloModuleProto& p) { Entry(p)->set_id(-1); }},
        {"UnknownEntry", [](HloModuleProto& p) { p.set_entry_computation_id(99); }},
        {"NoComputations", [](HloModuleProto& p) { p.clear_computations(); }},
        {"ProgramShapeOfAnotherProgram",
         [](HloModuleProto& p) { p.mutable_host_program_shape()->clear_parameters(); }},
        {"ScheduleOfUnknownInstructions",
         [](HloModuleProto& p) {
           (*p.mutable_schedule()->mutable_sequences())[Entry(p)->id()].add_instruction_ids(999);
         }},
        {"AliasOfUnknownParameter",
         [](HloModuleProto& p) {
           p.mutable_input_output_alias()->add_entries()->set_parameter_number(7);
         }},
    }),
    [](const auto& info) { return std::string(info.param.name); });

TEST(HostileProtoTest, WithoutProgramShape) {
  HloModuleProto proto = ProtoOf("ENTRY e { x = f32[] parameter(0) }");
  proto.clear_host_program_shape();
  Try(proto);
  for (HloComputationProto& computation : *proto.mutable_computations()) {
    computation.clear_program_shape();
  }
  Try(proto);
}

TEST(HostileProtoTest, DeepShape) {
  HloModuleProto proto = ProtoOf("ENTRY e { x = f32[] parameter(0) }");
  ShapeProto* shape = Find(proto, "x")->mutable_shape();
  for (int depth = 0; depth < 3000; ++depth) {
    shape->Clear();
    shape->set_element_type(TUPLE);
    shape = shape->add_tuple_shapes();
  }
  shape->set_element_type(TOKEN);
  EXPECT_FALSE(Read(proto).ok());
}

}  // namespace
}  // namespace xla
