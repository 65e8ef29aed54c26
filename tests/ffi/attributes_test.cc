#include "runtime/ffi/attributes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>

namespace xla::runtime {
namespace {

template <typename T>
T Value(const FfiAttributes& attributes, const std::string& name, PrimitiveType type) {
  const auto& scalar = std::get<FfiScalar>(attributes.at(name).value);
  EXPECT_EQ(scalar.type, type) << name;
  EXPECT_EQ(scalar.bytes.size(), sizeof(T)) << name;
  T value;
  std::memcpy(&value, scalar.bytes.data(), sizeof(T));
  return value;
}

template <typename T>
std::vector<T> Values(const FfiAttributes& attributes, const std::string& name,
                      PrimitiveType type) {
  const auto& array = std::get<FfiArray>(attributes.at(name).value);
  EXPECT_EQ(array.type, type) << name;
  EXPECT_EQ(array.bytes.size(), array.size * sizeof(T)) << name;
  std::vector<T> values(array.size);
  if (!values.empty()) std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

FfiAttributes Parse(const std::string& text) {
  absl::StatusOr<FfiAttributes> attributes = ParseFfiAttributes(text);
  EXPECT_TRUE(attributes.ok()) << attributes.status();
  return attributes.ok() ? *attributes : FfiAttributes();
}

TEST(AttributesTest, NoAttributes) {
  for (const char* text : {"", "  ", "{}", "{ }"}) EXPECT_TRUE(Parse(text).empty()) << text;
}

TEST(AttributesTest, Scalars) {
  const FfiAttributes a = Parse(
      "{a = 7, b = -3 : i8, c = 250 : ui8, d = 1.5, e = 2.5e-1 : f32, f = true, g = false, "
      "h = 1 : i1, i = -1 : si16, j = 18446744073709551615 : ui64, k = 3 : index, "
      "l = 0x7F800000 : f32, m = 1.0 : bf16, n = 1.0 : f16, o = -0.0, p = 2.0 : f8E5M2}");
  EXPECT_EQ(a.size(), 16);
  EXPECT_EQ(Value<int64_t>(a, "a", S64), 7);
  EXPECT_EQ(Value<int8_t>(a, "b", S8), -3);
  EXPECT_EQ(Value<uint8_t>(a, "c", U8), 250);
  EXPECT_EQ(Value<double>(a, "d", F64), 1.5);
  EXPECT_EQ(Value<float>(a, "e", F32), 0.25f);
  EXPECT_EQ(Value<bool>(a, "f", PRED), true);
  EXPECT_EQ(Value<bool>(a, "g", PRED), false);
  EXPECT_EQ(Value<bool>(a, "h", PRED), true);
  EXPECT_EQ(Value<int16_t>(a, "i", S16), -1);
  EXPECT_EQ(Value<uint64_t>(a, "j", U64), ~uint64_t{0});
  EXPECT_EQ(Value<int64_t>(a, "k", S64), 3);
  EXPECT_EQ(Value<float>(a, "l", F32), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Value<uint16_t>(a, "m", BF16), 0x3f80);
  EXPECT_EQ(Value<uint16_t>(a, "n", F16), 0x3c00);
  EXPECT_TRUE(std::signbit(Value<double>(a, "o", F64)));
  EXPECT_EQ(Value<uint8_t>(a, "p", F8E5M2), 0x40);
}

TEST(AttributesTest, Strings) {
  const FfiAttributes a = Parse(R"({a = "one", "b c" = "x\"\\\n\41", d = ""})");
  EXPECT_EQ(std::get<std::string>(a.at("a").value), "one");
  EXPECT_EQ(std::get<std::string>(a.at("b c").value), "x\"\\\nA");
  EXPECT_EQ(std::get<std::string>(a.at("d").value), "");
}

TEST(AttributesTest, Arrays) {
  const FfiAttributes a = Parse(
      "{a = array<i64: 1, -2>, b = array<f32>, c = array<i1: true, false>, d = [1, 2, 3], e = [], "
      "f = [1.0 : f32, 2.0 : f32], g = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, "
      "h = dense<7> : tensor<3xi8>, i = dense<\"0x01000200\"> : tensor<2xi16>, "
      "j = dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>, k = dense<> : tensor<0xf64>, "
      "l = dense<5> : tensor<i64>}");
  EXPECT_EQ(Values<int64_t>(a, "a", S64), (std::vector<int64_t>{1, -2}));
  EXPECT_TRUE(Values<float>(a, "b", F32).empty());
  EXPECT_EQ(Values<uint8_t>(a, "c", PRED), (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(Values<int64_t>(a, "d", S64), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_TRUE(Values<int64_t>(a, "e", S64).empty());
  EXPECT_EQ(Values<float>(a, "f", F32), (std::vector<float>{1, 2}));
  EXPECT_EQ(Values<int32_t>(a, "g", S32), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(Values<int8_t>(a, "h", S8), (std::vector<int8_t>{7, 7, 7}));
  EXPECT_EQ(Values<int16_t>(a, "i", S16), (std::vector<int16_t>{1, 2}));
  EXPECT_EQ(Values<std::complex<float>>(a, "j", C64),
            (std::vector<std::complex<float>>{{1, -2}, {1, -2}}));
  EXPECT_TRUE(Values<double>(a, "k", F64).empty());
  EXPECT_EQ(Values<int64_t>(a, "l", S64), (std::vector<int64_t>{5}));
}

TEST(AttributesTest, Dictionaries) {
  const FfiAttributes a = Parse("{a = {b = 1 : i32, c = {}}, d = 2}");
  const auto& inner = std::get<std::shared_ptr<const FfiAttributes>>(a.at("a").value);
  EXPECT_EQ(Value<int32_t>(*inner, "b", S32), 1);
  EXPECT_TRUE(std::get<std::shared_ptr<const FfiAttributes>>(inner->at("c").value)->empty());
}

TEST(AttributesTest, WrongTexts) {
  const std::string deep = [] {
    std::string text;
    for (int i = 0; i < 10000; ++i) text += "{a = ";
    return text;
  }();
  std::string deep_type = "{a = 1 : ";
  for (int i = 0; i < 1000000; ++i) deep_type += "complex<";
  for (const std::string& text : {std::string("{"),
                                  std::string("{a"),
                                  std::string("{a = }"),
                                  std::string("{a = 1"),
                                  std::string("{a = 1,}"),
                                  std::string("{= 1}"),
                                  std::string("{a = 1} b"),
                                  std::string("{a = 1, a = 2}"),
                                  std::string("{a = 1 : x32}"),
                                  std::string("{a = 300 : i8}"),
                                  std::string("{a = 1.5 : i8}"),
                                  std::string("{a = \"x}"),
                                  std::string("{a = array<i64: 1"),
                                  std::string("{a = array<i64: >}"),
                                  std::string("{a = dense<[1, 2]> : tensor<3xi64>}"),
                                  std::string("{a = dense<1> : tensor<99999999999999xi64>}"),
                                  std::string("{a = dense<1> : tensor<100000x100000xi64>}"),
                                  std::string("{a = dense<[[1]> : tensor<1xi64>}"),
                                  std::string("{a = dense<\"0x0\"> : tensor<1xi8>}"),
                                  std::string("{a = dense<[1]> : tensor<2xi8>}"),
                                  std::string("{a = 1 : complex<complex<f32>>}"),
                                  std::string("{a = [1, 2.0]}"),
                                  std::string("{a = 0x123 : i8}"),
                                  std::string("a = 1"),
                                  deep,
                                  deep_type}) {
    const absl::StatusOr<FfiAttributes> attributes = ParseFfiAttributes(text);
    EXPECT_EQ(attributes.status().code(), absl::StatusCode::kInvalidArgument)
        << text.substr(0, 100);
  }
  for (const char* text : {"{a = @f}", "{a = affine_map<>}", "{a}", "{a = [\"x\"]}"}) {
    EXPECT_EQ(ParseFfiAttributes(text).status().code(), absl::StatusCode::kUnimplemented) << text;
  }
}

TEST(AttributesTest, TableIsSorted) {
  const FfiAttributeTable table(Parse("{b = 1 : i32, a = \"x\", c = {d = array<i8: 1>}}"));
  const XLA_FFI_Attrs& attrs = table.attrs();
  ASSERT_EQ(attrs.size, 3);
  EXPECT_EQ(std::string(attrs.names[0]->ptr, attrs.names[0]->len), "a");
  EXPECT_EQ(std::string(attrs.names[2]->ptr, attrs.names[2]->len), "c");
  EXPECT_EQ(attrs.types[0], XLA_FFI_AttrType_STRING);
  EXPECT_EQ(attrs.types[1], XLA_FFI_AttrType_SCALAR);
  EXPECT_EQ(*static_cast<int32_t*>(static_cast<XLA_FFI_Scalar*>(attrs.attrs[1])->value), 1);
  ASSERT_EQ(attrs.types[2], XLA_FFI_AttrType_DICTIONARY);
  const auto* inner = static_cast<const XLA_FFI_Attrs*>(attrs.attrs[2]);
  EXPECT_EQ(inner->size, 1);
  EXPECT_EQ(inner->types[0], XLA_FFI_AttrType_ARRAY);
}

}  // namespace
}  // namespace xla::runtime
