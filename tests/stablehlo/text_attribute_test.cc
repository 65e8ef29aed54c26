// Types, attributes and locations of MLIR text.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "front/stablehlo/text/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla::stablehlo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A program and its text.
struct Read {
  std::string text;
  std::unique_ptr<Program> program;
  std::string error;
};

std::unique_ptr<Read> ReadProgram(std::string text) {
  auto result = std::make_unique<Read>();
  result->text = std::move(text);
  absl::StatusOr<std::unique_ptr<Program>> program = ReadText(result->text);
  if (program.ok()) {
    result->program = *std::move(program);
  } else {
    result->error = std::string(program.status().message());
  }
  return result;
}

// The first operation of the first function.
const Operation& First(const Read& read) {
  return *read.program->module->regions[0].operations.back()->regions[0].operations[0];
}

// What is read of `value` as the attribute x of an operation; `before` stands before the function.
class AttributeOf {
 public:
  explicit AttributeOf(const std::string& value, const std::string& before = "")
      : read_(ReadProgram(
            absl::StrCat(before, "func.func @f() {\n  stablehlo.custom_call @g() {x = ", value,
                         "} : () -> ()\n  return\n}\n"))) {}

  const std::string& error() const { return read_->error; }
  template <typename T>
  const T* As() const {
    if (read_->program == nullptr) return nullptr;
    return std::get_if<T>(&First(*read_).discardable_attribute("x")->value);
  }

 private:
  std::unique_ptr<Read> read_;
};

TEST(TextAttributeTest, Numbers) {
  const struct {
    const char* text;
    PrimitiveType type;
    int64_t value;
  } kIntegers[] = {{"5", S64, 5},           {"-5 : i32", S32, -5},
                   {"255 : i8", S8, -1},    {"255 : ui8", U8, 255},
                   {"0x1F : i16", S16, 31}, {"-8 : i4", S4, -8},
                   {"7 : index", S64, 7},   {"-3 : si8", S8, -3},
                   {"15 : ui4", U4, 15},    {"18446744073709551615 : ui64", U64, -1}};
  for (const auto& each : kIntegers) {
    const AttributeOf attribute(each.text);
    const auto* integer = attribute.As<IntegerAttribute>();
    ASSERT_NE(integer, nullptr) << each.text << attribute.error();
    EXPECT_EQ(integer->type, each.type) << each.text;
    EXPECT_EQ(integer->value, each.value) << each.text;
  }
  const AttributeOf decimal("-1.5e3 : f32");
  ASSERT_NE(decimal.As<FloatAttribute>(), nullptr);
  EXPECT_EQ(decimal.As<FloatAttribute>()->type, F32);
  EXPECT_EQ(decimal.As<FloatAttribute>()->value, -1500);
  EXPECT_EQ(AttributeOf("2.5").As<FloatAttribute>()->type, F64);
  EXPECT_EQ(AttributeOf("0xFF800000 : f32").As<FloatAttribute>()->value,
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(*AttributeOf("true").As<bool>());
  EXPECT_FALSE(*AttributeOf("0 : i1").As<bool>());
}

TEST(TextAttributeTest, OtherKinds) {
  EXPECT_NE(AttributeOf("unit").As<UnitAttribute>(), nullptr);
  EXPECT_EQ(AttributeOf(R"("a\22b\\\n\09")").As<StringAttribute>()->value, "a\"b\\\n\t");
  EXPECT_EQ(AttributeOf("@name").As<SymbolAttribute>()->name, "name");
  EXPECT_EQ(AttributeOf("@\"a b\"").As<SymbolAttribute>()->name, "a b");
  EXPECT_EQ(AttributeOf("#stablehlo<precision HIGH>").As<KeywordAttribute>()->name, "HIGH");
  EXPECT_EQ(AttributeOf("[1, [], {}]").As<ArrayAttribute>()->elements.size(), 3);
  const AttributeOf dictionary("{b = 1, a, \"c d\" = 2}");
  const NamedAttributes& entries = dictionary.As<DictionaryAttribute>()->entries;
  ASSERT_EQ(entries.size(), 3);
  EXPECT_EQ(entries[0].name, "a");
  EXPECT_EQ(entries[1].name, "b");
  EXPECT_EQ(entries[2].name, "c d");
  EXPECT_NE(AttributeOf("#other.thing<a -> [b, \"c>\"], (d)>").As<OpaqueAttribute>(), nullptr);
  EXPECT_NE(AttributeOf("#other.thing").As<OpaqueAttribute>(), nullptr);
  EXPECT_NE(AttributeOf("loc(\"x\")").As<OpaqueAttribute>(), nullptr);
}

TEST(TextAttributeTest, Types) {
  const auto type_of = [](const AttributeOf& attribute) {
    const auto* type = attribute.As<TypeAttribute>();
    return type == nullptr ? nullptr : type->type;
  };
  const struct {
    const char* text;
    Shape shape;
  } kShapes[] = {
      {"tensor<f32>", Shape(F32, {})},
      {"tensor<2x0x3xi1>", Shape(PRED, {2, 0, 3})},
      {"tensor<0x10xui8>", Shape(U8, {0, 10})},
      {"tensor< 2 x 3 x bf16 >", Shape(BF16, {2, 3})},
      {"tensor<4xcomplex<f64>>", Shape(C128, {4})},
      {"tensor<?x2xf8E4M3FN>", Shape(F8E4M3FN, {Shape::kUnboundedSize, 2}, {true, false})},
      {"tensor<?x?xi4, #stablehlo.bounds<3, ?>>",
       Shape(S4, {3, Shape::kUnboundedSize}, {true, true})},
      {"tensor<2xf4E2M1FN>", Shape(F4E2M1FN, {2})},
      {"tuple<>", Shape(std::vector<Shape>())},
      {"tuple<tensor<i32>, tuple<!stablehlo.token>>",
       Shape({Shape(S32, {}), Shape(std::vector<Shape>{Shape(TOKEN)})})},
      {"!t", Shape(F32, {7})},
  };
  for (const auto& each : kShapes) {
    const AttributeOf attribute(each.text, "!t = tensor<7xf32>\n");
    ASSERT_NE(type_of(attribute), nullptr) << each.text << attribute.error();
    ASSERT_TRUE(std::holds_alternative<Shape>(type_of(attribute)->value)) << each.text;
    EXPECT_EQ(std::get<Shape>(type_of(attribute)->value), each.shape) << each.text;
  }
  const AttributeOf function("(i32, tensor<f32>) -> (f32)");
  EXPECT_EQ(std::get<FunctionType>(type_of(function)->value).inputs.size(), 2);
  EXPECT_EQ(std::get<PrimitiveType>(type_of(AttributeOf("f16"))->value), F16);
  const AttributeOf buffer("memref<2xf32>");
  EXPECT_TRUE(std::get<Shape>(type_of(buffer)->value).IsBuffer());
}

template <typename T>
std::vector<T> Elements(const AttributeOf& attribute) {
  const auto* tensor = attribute.As<TensorAttribute>();
  if (tensor == nullptr) return {};
  std::vector<T> result(tensor->bytes.size() / sizeof(T));
  std::memcpy(result.data(), tensor->bytes.data(), tensor->bytes.size());
  return result;
}

TEST(TextAttributeTest, DenseElements) {
  EXPECT_THAT(Elements<int32_t>(AttributeOf("dense<[[1, -2], [0x7F, 4]]> : tensor<2x2xi32>")),
              ElementsAre(1, -2, 127, 4));
  EXPECT_THAT(Elements<float>(AttributeOf("dense<[1.5, -2.e1, 0x7F800000]> : tensor<3xf32>")),
              ElementsAre(1.5f, -20.f, std::numeric_limits<float>::infinity()));
  EXPECT_THAT(Elements<float>(AttributeOf("dense<1.0e60> : tensor<f32>")),
              ElementsAre(std::numeric_limits<float>::infinity()));
  EXPECT_THAT(Elements<float>(AttributeOf("dense<[(1.0, 2.0), (3.0, 4.0)]> : "
                                          "tensor<2xcomplex<f32>>")),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Elements<uint8_t>(AttributeOf("dense<[true, false, 1]> : tensor<3xi1>")),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(Elements<uint8_t>(AttributeOf("dense<[1, -1, -8]> : tensor<3xi4>")),
              ElementsAre(1, 15, 8));
  EXPECT_THAT(Elements<uint64_t>(AttributeOf("dense<[1, 18446744073709551615]> : tensor<2xui64>")),
              ElementsAre(1, ~uint64_t{0}));
  EXPECT_THAT(Elements<uint16_t>(AttributeOf("dense<[1.0, 0x7FC0]> : tensor<2xbf16>")),
              ElementsAre(0x3F80, 0x7FC0));
  EXPECT_THAT(Elements<int64_t>(AttributeOf("array<i64: 3, -4>")), ElementsAre(3, -4));
  EXPECT_EQ(AttributeOf("array<i64>").As<TensorAttribute>()->shape->dimensions(0), 0);
  EXPECT_EQ(AttributeOf("dense<> : tensor<0x3xf32>").As<TensorAttribute>()->bytes, "");
}

TEST(TextAttributeTest, DenseHexadecimal) {
  EXPECT_THAT(Elements<int16_t>(AttributeOf("dense<\"0x0100FFFF\"> : tensor<2xi16>")),
              ElementsAre(1, -1));
  EXPECT_THAT(Elements<uint8_t>(AttributeOf("dense<\"0x0100FF\"> : tensor<3xi1>")),
              ElementsAre(1, 0, 1));
  // Eight predicates in a byte, as older text has them.
  EXPECT_THAT(Elements<uint8_t>(AttributeOf("dense<\"0x0502\"> : tensor<10xi1>")),
              ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 0, 1));
  const AttributeOf splat("dense<\"0x01000000\"> : tensor<1000xi32>");
  EXPECT_TRUE(splat.As<TensorAttribute>()->is_splat);
  EXPECT_THAT(Elements<int32_t>(splat), ElementsAre(1));
}

TEST(TextAttributeTest, DenseSplats) {
  const AttributeOf large("dense<7> : tensor<1000000x1000000xi8>");
  ASSERT_NE(large.As<TensorAttribute>(), nullptr) << large.error();
  EXPECT_TRUE(large.As<TensorAttribute>()->is_splat);
  EXPECT_EQ(large.As<TensorAttribute>()->bytes, "\x07");
  EXPECT_TRUE(AttributeOf("dense<[5, 5]> : tensor<2xi8>").As<TensorAttribute>()->is_splat);
  EXPECT_FALSE(AttributeOf("dense<5> : tensor<1xi8>").As<TensorAttribute>()->is_splat);
}

TEST(TextAttributeTest, DenseErrors) {
  const std::pair<const char*, const char*> kCases[] = {
      {"dense<[1, 2, 3]> : tensor<2xi32>", "the list has 3 elements"},
      {"dense<[[1], [2, 3]]> : tensor<2x1xi32>", "the list has 2 elements"},
      {"dense<[1]> : tensor<i32>", "expected a number"},
      {"dense<[1]> : tensor<1x1xi32>", "expected '['"},
      {"dense<1.5> : tensor<i32>", "expected an integer"},
      {"dense<1> : tensor<f32>", "has a point"},
      {"dense<true> : tensor<i32>", "true or false"},
      {"dense<256> : tensor<i8>", "does not fit into 8 bits"},
      {"dense<-1> : tensor<ui8>", "does not fit into 8 bits"},
      {"dense<0x1FFFF> : tensor<bf16>", "do not fit into 16 bits"},
      {"dense<99999999999999999999> : tensor<i64>", "does not fit into 64 bits"},
      {"dense<\"0x01\"> : tensor<2xi32>", "the string has 1 bytes"},
      {"dense<\"0x0\"> : tensor<i8>", "pairs of hexadecimal digits"},
      {"dense<\"abc\"> : tensor<i8>", "behind 0x"},
      {"dense<> : tensor<2xi8>", "there are no elements"},
      {"dense<1> : tensor<?xi8>", "known sizes"},
      {"dense<1", "expected '>'"},
  };
  for (const auto& [text, error] : kCases) {
    EXPECT_THAT(AttributeOf(text).error(), HasSubstr(error)) << text;
  }
}

TEST(TextAttributeTest, Structures) {
  const AttributeOf accuracy(
      "#stablehlo.result_accuracy<atol = 0.5, ulps = 3, mode = "
      "#stablehlo.result_accuracy_mode<TOLERANCE>>");
  ASSERT_NE(accuracy.As<ResultAccuracyAttribute>(), nullptr) << accuracy.error();
  EXPECT_EQ(accuracy.As<ResultAccuracyAttribute>()->absolute_tolerance, 0.5);
  EXPECT_EQ(accuracy.As<ResultAccuracyAttribute>()->units, 3);
  EXPECT_EQ(accuracy.As<ResultAccuracyAttribute>()->mode, "TOLERANCE");
  // Parts that are left out stand between the others by their names.
  const AttributeOf scatter("#stablehlo.scatter<update_window_dims = [0]>");
  ASSERT_NE(scatter.As<DictionaryAttribute>(), nullptr) << scatter.error();
  const NamedAttributes& parts = scatter.As<DictionaryAttribute>()->entries;
  EXPECT_EQ(parts.size(), 6);
  EXPECT_TRUE(std::is_sorted(parts.begin(), parts.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));
  EXPECT_THAT(AttributeOf("#stablehlo.gather<offset = [0]>").error(), HasSubstr("has no part"));
  EXPECT_THAT(AttributeOf("#stablehlo.gather<offset_dims = [0], offset_dims = [1]>").error(),
              HasSubstr("given twice"));
  EXPECT_THAT(AttributeOf("#stablehlo.dot_algorithm<lhs_component_count = 1>").error(),
              HasSubstr("must have lhs_precision_type"));
  EXPECT_THAT(AttributeOf("#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 1, f]>").error(),
              HasSubstr("numbered 0, 1, 2"));
  EXPECT_THAT(AttributeOf("#stablehlo.conv<[b, b, f]x[0, i, o]->[b, 0, f]>").error(),
              HasSubstr("once each"));
}

TEST(TextAttributeTest, Shardings) {
  const AttributeOf attribute(
      "#sdy.sharding<@mesh, [{\"x\", ?}p1, {\"y\":(2)4}], replicated={\"z\"}, unreduced={\"u\"}>");
  const auto* sharding = attribute.As<TensorShardingAttribute>();
  ASSERT_NE(sharding, nullptr) << attribute.error();
  EXPECT_EQ(std::get<SymbolAttribute>(sharding->mesh->value).name, "mesh");
  ASSERT_EQ(sharding->dimensions.size(), 2);
  EXPECT_FALSE(sharding->dimensions[0].is_closed);
  EXPECT_EQ(sharding->dimensions[0].priority, 1);
  EXPECT_EQ(sharding->dimensions[0].axes[0].name, "x");
  EXPECT_TRUE(sharding->dimensions[1].is_closed);
  EXPECT_EQ(sharding->dimensions[1].axes[0].sub_axis, (std::pair<int64_t, int64_t>(2, 4)));
  EXPECT_EQ(sharding->replicated_axes[0].name, "z");
  EXPECT_EQ(sharding->unreduced_axes[0].name, "u");
  const AttributeOf with_mesh("#sdy.sharding<mesh<[\"x\"=2], device_ids=[1, 0]>, []>");
  const auto& mesh = std::get<MeshAttribute>(with_mesh.As<TensorShardingAttribute>()->mesh->value);
  EXPECT_EQ(mesh.axes[0].size, 2);
  EXPECT_THAT(mesh.device_ids, ElementsAre(1, 0));
  EXPECT_EQ(AttributeOf("#sdy.sharding_per_value<[<@m, []>, <@m, [{}]>]>")
                .As<ShardingPerValueAttribute>()
                ->shardings.size(),
            2);
}

TEST(TextAttributeTest, Aliases) {
  EXPECT_EQ(
      AttributeOf("[#a, #a]", "#b = 5 : i32\n#a = [#b]\n").As<ArrayAttribute>()->elements.size(),
      2);
  EXPECT_THAT(AttributeOf("#a").error(), HasSubstr("there is no attribute alias #a"));
  EXPECT_THAT(AttributeOf("!a").error(), HasSubstr("there is no type alias !a"));
  EXPECT_THAT(AttributeOf("1", "#a = 1\n#a = 2\n").error(), HasSubstr("#a is defined twice"));
}

TEST(TextAttributeTest, Resources) {
  const auto read = ReadProgram(
      "func.func @f() {\n"
      "  %0 = stablehlo.constant dense_resource<numbers> : tensor<2xf32>\n"
      "  %1 = stablehlo.constant {x = \"{-#\"} dense<1> : tensor<i32>\n"
      "  return\n"
      "}\n"
      "{-#\n"
      "  dialect_resources: {\n"
      "    builtin: {\n"
      "      numbers: \"0x040000000000803F00000040\",\n"
      "      others: \"0x0400000000\"\n"
      "    }\n"
      "  },\n"
      "  external_resources: {\n"
      "    mlir_reproducer: { verify_each: true }\n"
      "  }\n"
      "#-}\n");
  ASSERT_EQ(read->error, "");
  const auto& tensor = std::get<TensorAttribute>(First(*read).attribute("value")->value);
  const float kExpected[] = {1, 2};
  EXPECT_EQ(tensor.bytes, absl::string_view(reinterpret_cast<const char*>(kExpected), 8));
  EXPECT_THAT(AttributeOf("dense_resource<none> : tensor<2xf32>").error(),
              HasSubstr("does not have the resource none"));
  // What only looks so belongs to a string.
  EXPECT_TRUE(ReadText("func.func @f() attributes {x = \"{-#\"} { return }").ok());
}

const Location& LocationOf(const Read& read) { return *First(read).location; }

TEST(TextAttributeTest, Locations) {
  const auto with = [](const std::string& location, const std::string& after = "") {
    auto read = ReadProgram(absl::StrCat("func.func @f() {\n  return ", location, "\n}\n", after));
    EXPECT_EQ(read->error, "") << location;
    return read;
  };
  const auto file = with("loc(\"a.py\":12:3 to :9)");
  const auto& range = std::get<FileLocation>(LocationOf(*file).value);
  EXPECT_EQ(range.file, "a.py");
  EXPECT_EQ(range.line, 12);
  EXPECT_EQ(range.column, 3);
  EXPECT_EQ(range.end_line, 12);
  EXPECT_EQ(range.end_column, 9);
  const auto named = with("loc(\"f\"(callsite(\"g\" at fused<\"x\">[\"h\", unknown])))");
  const auto& name = std::get<NameLocation>(LocationOf(*named).value);
  EXPECT_EQ(name.name, "f");
  const auto& call = std::get<CallSiteLocation>(name.child->value);
  EXPECT_EQ(std::get<NameLocation>(call.callee->value).name, "g");
  EXPECT_EQ(std::get<FusedLocation>(call.caller->value).locations.size(), 2);
  EXPECT_TRUE(std::holds_alternative<UnknownLocation>(LocationOf(*with("")).value));
  // Aliases of operations' locations come last.
  const auto alias = with("loc(#loc2)", "#loc1 = loc(\"a.py\":1:2)\n#loc2 = loc(\"x\"(#loc1))\n");
  const auto& value = std::get<NameLocation>(LocationOf(*alias).value);
  EXPECT_EQ(std::get<FileLocation>(value.child->value).column, 2);
}

TEST(TextAttributeTest, LocationErrors) {
  const auto error_of = [](const std::string& text) { return ReadProgram(text)->error; };
  EXPECT_THAT(error_of("func.func @f() { return loc(#loc1) }"),
              HasSubstr("there is no location alias #loc1"));
  EXPECT_THAT(error_of("#loc1 = loc(\"x\"(#loc1))\nfunc.func @f() { return }"),
              HasSubstr("not defined before"));
  EXPECT_THAT(error_of("func.func @f() { return loc(#l) }\n#m = loc(\"x\"(#l))\n#l = loc(\"y\")"),
              HasSubstr("not defined before"));
}

}  // namespace
}  // namespace xla::stablehlo
