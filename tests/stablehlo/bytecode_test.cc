// Artifacts of all versions give the program that their text gives, and broken ones an error. Those
// in artifacts/ are the texts beside them, written by MLIR for the VHLO version in their names.
#include "front/stablehlo/bytecode/bytecode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "front/stablehlo/print.h"
#include "front/stablehlo/text/text.h"
#include "tests/stablehlo/artifact_writer.h"

namespace xla::stablehlo {
namespace {

using ::testing::HasSubstr;

std::string Contents(const std::string& name) {
  std::ifstream file(absl::StrCat(HILO_SOURCE_DIR, "/tests/stablehlo/artifacts/", name));
  EXPECT_TRUE(file.is_open()) << name;
  std::stringstream contents;
  contents << file.rdbuf();
  return contents.str();
}

const char* const kOrbits[] = {"orbit-0.9.0.mlirbc",  "orbit-0.10.0.mlirbc", "orbit-0.12.0.mlirbc",
                               "orbit-0.14.0.mlirbc", "orbit-1.0.0.mlirbc",  "orbit-1.17.0.mlirbc"};

std::string TextOf(const std::string& bytes) {
  auto program = ReadBytecode(bytes);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? ToText(**program) : "";
}

std::string TextOfText(const std::string& text) {
  auto program = ReadText(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return program.ok() ? ToText(**program) : "";
}

// An error with words, or a program that can be printed.
void ExpectNoCrash(const std::string& bytes) {
  // Of the size that was asked for, so that what reads behind it is found.
  const std::vector<char> exact(bytes.begin(), bytes.end());
  auto program = ReadBytecode(absl::string_view(exact.data(), exact.size()));
  if (program.ok()) {
    EXPECT_FALSE(ToText(**program).empty());
  } else {
    EXPECT_FALSE(program.status().message().empty());
  }
}

void ExpectError(const std::string& bytes, absl::string_view message) {
  auto program = ReadBytecode(bytes);
  ASSERT_FALSE(program.ok()) << ToText(**program);
  EXPECT_THAT(std::string(program.status().message()), HasSubstr(std::string(message)));
}

TEST(BytecodeTest, VersionsOfOneProgramAreOneProgram) {
  const std::string expected = TextOfText(Contents("orbit.mlir"));
  for (const char* name : kOrbits) EXPECT_EQ(TextOf(Contents(name)), expected) << name;
}

TEST(BytecodeTest, AllKindsOfOperations) {
  EXPECT_EQ(TextOf(Contents("kinds-1.17.0.mlirbc")), TextOfText(Contents("kinds.mlir")));
}

TEST(BytecodeTest, Futures) {
  const std::string text = TextOf(Contents("overlap-1.17.0.mlirbc"));
  EXPECT_EQ(text, TextOfText(Contents("overlap.mlir")));
  EXPECT_THAT(text, HasSubstr("(!stablehlo.future<tensor<8x8xf32>>) -> tensor<8x8xf32>"));
}

TEST(BytecodeTest, OldestFormsOfOperations) {
  EXPECT_EQ(TextOf(Contents("older_kinds-0.9.0.mlirbc")), TextOfText(Contents("older_kinds.mlir")));
}

TEST(BytecodeTest, PrintsAsPeopleReadIt) {
  const std::string text = TextOf(Contents("orbit-1.17.0.mlirbc"));
  EXPECT_THAT(text, HasSubstr("module @orbit attributes {mhlo.num_partitions = 1 : i32} {"));
  EXPECT_THAT(text, HasSubstr("func.func public @main(%arg0: tensor<3xf32> {tf.aliasing_output = "
                              "0 : i32}, %arg1: tensor<i32>) -> (tensor<3xf32> {jax.result_info = "
                              "\"out\"}) {"));
  EXPECT_THAT(text, HasSubstr("stablehlo.constant dense<[true, false, true]> : tensor<3xi1>"));
  EXPECT_THAT(text, HasSubstr("%10 = stablehlo.select %9, %4#1, %arg0 : tensor<3xi1>, tensor<3xf32>"
                              "\n    return %10 : tensor<3xf32>"));
  EXPECT_THAT(text, HasSubstr("slice_sizes = array<i64: 1>"));
}

TEST(BytecodeTest, KeepsLocations) {
  const std::string bytes = Contents("orbit-1.17.0.mlirbc");
  auto program = ReadBytecode(bytes);
  ASSERT_TRUE(program.ok()) << program.status();
  const Operation* main = (*program)->module->regions[0].operations[0];
  const Operation* last = main->regions[0].operations.back();
  EXPECT_EQ(last->name, "func.return");
  const auto* fused = std::get_if<FusedLocation>(&last->location->value);
  ASSERT_NE(fused, nullptr);
  ASSERT_EQ(fused->locations.size(), 2);
  EXPECT_EQ(std::get<NameLocation>(fused->locations[0]->value).name, "exit");
  const auto& call = std::get<CallSiteLocation>(fused->locations[1]->value);
  const auto& caller = std::get<FileLocation>(call.caller->value);
  EXPECT_EQ(caller.file, "orbit.py");
  EXPECT_EQ(caller.line, 7);
  EXPECT_EQ(caller.column, 3);
}

TEST(BytecodeTest, TellsBytecodeFromOtherFiles) {
  EXPECT_TRUE(IsBytecode(Contents("orbit-0.9.0.mlirbc")));
  EXPECT_FALSE(IsBytecode(Contents("orbit.mlir")));
  EXPECT_FALSE(IsBytecode(""));
  ExpectError("module {}", "does not begin with");
}

TEST(BytecodeTest, CutShortAnywhere) {
  for (const char* name : kOrbits) {
    const std::string bytes = Contents(name);
    for (size_t size = 0; size < bytes.size(); ++size) ExpectNoCrash(bytes.substr(0, size));
  }
}

TEST(BytecodeTest, AnyByteWrong) {
  for (const char* name : kOrbits) {
    const std::string bytes = Contents(name);
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (uint8_t flip : {0x01, 0x02, 0x80, 0xff}) {
        std::string broken = bytes;
        broken[i] ^= flip;
        ExpectNoCrash(broken);
      }
    }
  }
}

TEST(BytecodeTest, NewerFormat) {
  std::string bytes = Contents("orbit-1.17.0.mlirbc");
  bytes[4] = 7 << 1 | 1;
  ExpectError(bytes, "version 7 of MLIR's format is newer than the newest known, 6");
}

// What follows is written by hand.
constexpr uint8_t kAttributes = 0x01, kResults = 0x02, kOperands = 0x04, kRegions = 0x10,
                  kProperties = 0x40;

// The head of an operation: name, mask and location.
std::string Head(const ArtifactWriter& writer, uint64_t operation, uint8_t mask) {
  return Number(operation) + static_cast<char>(mask) + Number(writer.location);
}

// A module of one operation `add_v1` with this attribute as its dictionary.
std::string WithDictionary(ArtifactWriter& writer, uint64_t attribute) {
  const uint64_t add = writer.AddOperation(ArtifactWriter::kVhlo, "add_v1");
  return writer.Finish({Head(writer, add, kAttributes) + Number(attribute)});
}

// Of one entry `x`.
uint64_t AddDictionary(ArtifactWriter& writer, uint64_t value) {
  const uint64_t name =
      writer.AddAttribute(ArtifactWriter::kBuiltin, Number(2) + Number(writer.AddString("x")));
  return writer.AddAttribute(ArtifactWriter::kBuiltin,
                             Number(1) + Number(1) + Number(name) + Number(value));
}

std::string ArrayOf(std::vector<uint64_t> elements) {
  std::string bytes = Number(0) + Number(elements.size());
  for (uint64_t element : elements) bytes += Number(element);
  return bytes;
}

TEST(BytecodeTest, EmptyModule) { EXPECT_EQ(TextOf(ArtifactWriter().Finish({})), "module {\n}\n"); }

TEST(BytecodeTest, NothingBehindTheModule) {
  ArtifactWriter writer;
  ExpectError(writer.FinishWith(Flagged(0, false)), "the program is not one module");
  ExpectError(writer.FinishWith(Flagged(0, false) + Number(0)), "the operations end");
}

TEST(BytecodeTest, AttributeThatHoldsItself) {
  ArtifactWriter writer;
  const uint64_t array =
      writer.AddAttribute(ArtifactWriter::kBuiltin, ArrayOf({writer.next_attribute()}));
  ExpectError(WithDictionary(writer, AddDictionary(writer, array)), "is part of itself");
}

TEST(BytecodeTest, AttributeNestedTooDeep) {
  ArtifactWriter writer;
  uint64_t array = writer.AddAttribute(ArtifactWriter::kBuiltin, ArrayOf({}));
  for (int i = 0; i < 100000; ++i) {
    array = writer.AddAttribute(ArtifactWriter::kBuiltin, ArrayOf({array}));
  }
  ExpectError(WithDictionary(writer, AddDictionary(writer, array)), "is nested more than");
}

TEST(BytecodeTest, AttributeThatDoubles) {
  ArtifactWriter writer;
  uint64_t array = writer.AddAttribute(ArtifactWriter::kBuiltin, ArrayOf({}));
  for (int i = 0; i < 60; ++i) {
    array = writer.AddAttribute(ArtifactWriter::kBuiltin, ArrayOf({array, array}));
  }
  ExpectError(WithDictionary(writer, AddDictionary(writer, array)), "more often than its size");
}

TEST(BytecodeTest, TupleThatDoubles) {
  ArtifactWriter writer;
  uint64_t tuple = writer.AddType(ArtifactWriter::kVhlo, Number(23) + Number(0));
  for (int i = 0; i < 60; ++i) {
    tuple = writer.AddType(ArtifactWriter::kVhlo,
                           Number(23) + Number(2) + Number(tuple) + Number(tuple));
  }
  const uint64_t token = writer.AddOperation(ArtifactWriter::kVhlo, "create_token_v1");
  ExpectError(writer.Finish({Head(writer, token, kResults) + Number(1) + Number(tuple)}, 1),
              "more often than its size");
}

TEST(BytecodeTest, MoreOfEverythingThanThereIs) {
  ArtifactWriter writer;
  const uint64_t many = uint64_t{1} << 40;
  const uint64_t array = writer.AddAttribute(ArtifactWriter::kBuiltin, Number(0) + Number(many));
  ExpectError(WithDictionary(writer, AddDictionary(writer, array)), "is malformed");
  ExpectError(ArtifactWriter().FinishWith(Flagged(many, false)), "a block is cut short");
}

TEST(BytecodeTest, TensorTooLarge) {
  ArtifactWriter writer;
  const uint64_t f32 = writer.AddType(ArtifactWriter::kVhlo, Number(4));
  const int64_t size = int64_t{1} << 31;
  const uint64_t tensor = writer.AddType(
      ArtifactWriter::kVhlo, Number(20) + Number(2) + Signed(size) + Signed(size) + Number(f32));
  const uint64_t token = writer.AddOperation(ArtifactWriter::kVhlo, "create_token_v1");
  ExpectError(writer.Finish({Head(writer, token, kResults) + Number(1) + Number(tensor)}, 1),
              "a tensor cannot have the sizes 2147483648, 2147483648");
}

TEST(BytecodeTest, RegionsNestedTooDeep) {
  ArtifactWriter writer;
  const uint64_t branch = writer.AddOperation(ArtifactWriter::kVhlo, "case_v1");
  std::string operation = Head(writer, branch, 0);
  for (int i = 0; i < 10000; ++i) {
    operation =
        Head(writer, branch, kRegions) + Flagged(1, false) + ArtifactWriter::Region({operation}, 0);
  }
  ExpectError(writer.Finish({operation}), "regions are nested more than");
}

TEST(BytecodeTest, RegionsThatSayThereAreMany) {
  ArtifactWriter writer;
  const uint64_t branch = writer.AddOperation(ArtifactWriter::kVhlo, "case_v1");
  constexpr uint64_t kMany = 1000000;
  std::string operations;
  for (int i = 0; i < 200; ++i) {
    operations += Head(writer, branch, kRegions) + Flagged(kMany, false) + Number(1) + Number(0) +
                  Flagged(kMany, false);
  }
  ExpectError(writer.Finish({operations + std::string(2 * kMany, 'x')}), "");
}

TEST(BytecodeTest, ValuesThatAreNotThere) {
  ArtifactWriter writer;
  const uint64_t token = writer.AddType(ArtifactWriter::kVhlo, Number(22));
  const uint64_t create = writer.AddOperation(ArtifactWriter::kVhlo, "create_token_v1");
  const uint64_t after = writer.AddOperation(ArtifactWriter::kVhlo, "after_all_v1");
  const uint64_t isolated = writer.AddOperation(ArtifactWriter::kVhlo, "case_v1");
  const std::string one = Head(writer, create, kResults) + Number(1) + Number(token);
  const auto use = [&](uint64_t value) {
    return Head(writer, after, kResults | kOperands) + Number(1) + Number(token) + Number(1) +
           Number(value);
  };
  EXPECT_THAT(TextOf(writer.Finish({one, use(0)}, 2)), HasSubstr("(%0)"));
  ExpectError(writer.Finish({one, use(2)}, 2), "after_all is malformed");
  // The number is reserved, the value comes later.
  ExpectError(writer.Finish({use(1), one}, 2), "after_all is malformed");
  ExpectError(writer.Finish({one}, 2), "defines 1 values instead of 2");
  // Values outside of an isolated operation cannot be seen in it.
  const std::string inner = Head(writer, isolated, kRegions) + Flagged(1, true) +
                            Section(4, ArtifactWriter::Region({use(0)}, 1));
  ExpectError(writer.Finish({one, inner}, 1), "after_all is malformed");
}

TEST(BytecodeTest, AttributesOfOperations) {
  ArtifactWriter writer;
  const uint64_t iota = writer.AddOperation(ArtifactWriter::kVhlo, "iota_v1");
  const uint64_t none = writer.AddProperties("");
  ExpectError(writer.Finish({Head(writer, iota, kProperties) + Number(none)}),
              "are not 1 of stablehlo.iota version 1");
  ExpectError(writer.Finish({Head(writer, iota, kProperties) + Number(7)}), "is malformed");
  ExpectError(writer.Finish({Head(writer, iota, 0)}), "lacks its attributes");
  const uint64_t newer = writer.AddOperation(ArtifactWriter::kVhlo, "iota_v2");
  ExpectError(writer.Finish({Head(writer, newer, 0)}), "vhlo.iota_v2 is not known");
}

TEST(BytecodeTest, QuantizedTypesAreNotSupported) {
  ArtifactWriter writer;
  const uint64_t quantized = writer.AddType(ArtifactWriter::kVhlo, Number(24) + Number(0));
  const uint64_t token = writer.AddOperation(ArtifactWriter::kVhlo, "create_token_v1");
  ExpectError(writer.Finish({Head(writer, token, kResults) + Number(1) + Number(quantized)}, 1),
              "type 0 of dialect vhlo with the code 24 is not supported");
}

TEST(BytecodeTest, ShardingsOfSdy) {
  ArtifactWriter writer;
  const auto sdy = [&](const std::string& bytes) {
    return writer.AddAttribute(ArtifactWriter::kSdy, bytes);
  };
  const uint64_t x = writer.AddString("x");
  const uint64_t name =
      writer.AddAttribute(ArtifactWriter::kBuiltin, Number(2) + Number(writer.AddString("grid")));
  const uint64_t symbol = writer.AddAttribute(ArtifactWriter::kBuiltin, Number(4) + Number(name));
  const uint64_t half = sdy(Number(3) + Signed(1) + Signed(2));
  const uint64_t axis = sdy(Number(4) + Number(x) + Flagged(half, true));
  const uint64_t whole = sdy(Number(4) + Number(x) + Flagged(0, false));
  const uint64_t closed = sdy(Number(5) + Number(1) + Number(axis) + '\1' + Flagged(0, false));
  const uint64_t open = sdy(Number(5) + Number(0) + '\0' + Flagged(3, true));
  const uint64_t sharding = sdy(Number(15) + Number(symbol) + Number(2) + Number(closed) +
                                Number(open) + Number(0) + Number(1) + Number(whole));
  EXPECT_THAT(TextOf(WithDictionary(writer, AddDictionary(writer, sharding))),
              HasSubstr("x = #sdy.sharding<@grid, [{\"x\":(1)2}, {?}p3], unreduced={\"x\"}>"));
}

}  // namespace
}  // namespace xla::stablehlo
