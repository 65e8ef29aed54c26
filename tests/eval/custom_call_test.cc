// Custom calls of functions of the program.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/substitute.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/eval/evaluate.h"
#include "xla/service/custom_call_status.h"
#include "xla/service/custom_call_target_registry.h"

extern "C" {

// Not registered, but exported by this program.
__attribute__((visibility("default"))) void hilo_test_exported_negate(void* out, const void** in) {
  *static_cast<int32_t*>(out) = -*static_cast<const int32_t*>(in[0]);
}

}  // extern "C"

namespace xla {
namespace {

using ::testing::HasSubstr;

// (a, (b, c)), d -> ((d, c), b, a)
void Rearrange(void* out, const void** in) {
  const auto* outer = static_cast<const void* const*>(in[0]);
  const auto* inner = static_cast<const void* const*>(outer[1]);
  auto* results = static_cast<void**>(out);
  auto* first = static_cast<void**>(results[0]);
  std::memcpy(first[0], in[1], 2 * sizeof(double));
  std::memcpy(first[1], inner[1], sizeof(int8_t));
  std::memcpy(results[1], inner[0], 3 * sizeof(float));
  std::memcpy(results[2], outer[0], sizeof(int32_t));
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(Rearrange);

// Adds 1 to what is there.
void Increment(void* out, const void**) { *static_cast<int32_t*>(out) += 1; }
XLA_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("increment in place", Increment, "Host");

void AsItLies(void* out, const void** in) { std::memcpy(out, in[0], 6 * sizeof(float)); }
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("as it lies", AsItLies);

void CheckPositive(void* out, const void** in, XlaCustomCallStatus* status) {
  const int32_t value = *static_cast<const int32_t*>(in[0]);
  if (value <= 0) XlaCustomCallStatusSetFailure(status, "not positive; never seen", 12);
  *static_cast<int32_t*>(out) = value;
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(CheckPositive);

void TextLength(void* out, const void**, const char* opaque, size_t length,
                XlaCustomCallStatus* status) {
  XlaCustomCallStatusSetFailure(status, "no", 2);
  if (std::string(opaque, length) == "seven..") XlaCustomCallStatusSetSuccess(status);
  *static_cast<int32_t*>(out) = static_cast<int32_t>(length);
}
XLA_CPU_REGISTER_CUSTOM_CALL_TARGET(TextLength);

void Elsewhere(void*, const void**) {}
XLA_REGISTER_CUSTOM_CALL_TARGET(Elsewhere, "CUDA");

TEST(CustomCallTest, Registry) {
  CustomCallTargetRegistry& registry = *CustomCallTargetRegistry::Global();
  EXPECT_EQ(registry.Lookup("Rearrange", "Host"), reinterpret_cast<void*>(&Rearrange));
  EXPECT_EQ(registry.Lookup("Rearrange", "CUDA"), nullptr);
  EXPECT_EQ(registry.registered_symbols("CUDA").size(), 1u);
  int first = 0, second = 0;
  registry.Register("of the test", &first, "none");
  registry.Register("of the test", &first, "none");
  registry.Register("of the test", &second, "another");
  EXPECT_EQ(registry.Lookup("of the test", "none"), &first);
  EXPECT_EQ(registry.Lookup("of the test", "another"), &second);
}

TEST(CustomCallDeathTest, NamesBelongToOneFunction) {
  CustomCallTargetRegistry& registry = *CustomCallTargetRegistry::Global();
  int first = 0, second = 0;
  EXPECT_EXIT(
      {
        registry.Register("of two", &first, "none");
        registry.Register("of two", &second, "none");
      },
      testing::ExitedWithCode(1), "Duplicate custom call registration.*of two");
  // What runs at the end may look at the registry.
  EXPECT_EXIT(
      {
        std::atexit([] {
          const bool is_there =
              CustomCallTargetRegistry::Global()->Lookup("of two", "none") != nullptr;
          std::fputs(is_there ? "still there" : "gone", stderr);
        });
        registry.Register("of two", &first, "none");
        registry.Register("of two", &second, "none");
      },
      testing::ExitedWithCode(1), "still there");
}

TEST(CustomCallTest, TuplesAreTablesOfPointers) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  t = (s32[], (f32[3], s8[])) parameter(0)
  d = f64[2] parameter(1)
  ROOT r = ((f64[2], s8[]), f32[3], s32[]) custom-call(t, d), custom_call_target="Rearrange"
})",
                         {"(s32[] 7, (f32[3] {1, 2, 3}, s8[] -4))", "f64[2] {0.5, 1.5}"}),
            "( ( f64[2] {0.5, 1.5}, s8[] -4 ), f32[3] {1, 2, 3}, s32[] 7 )");
}

TEST(CustomCallTest, AResultThatAliasesAnOperandBeginsAsItsCopy) {
  EXPECT_EQ(EvaluateText(R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  y = s32[] custom-call(x), custom_call_target="increment in place", output_to_operand_aliasing={{}: (0, {})}
  ROOT t = (s32[], s32[]) tuple(x, y)
})",
                         {"s32[] 4"}),
            "( s32[] 4, s32[] 5 )");
}

// The function copies bytes, so that it transposes where operand and result lie differently.
TEST(CustomCallTest, ConstrainedLayouts) {
  constexpr char kText[] = R"(
HloModule m
ENTRY e {
  x = f32[2,3]{0,1} parameter(0)
  ROOT y = f32[3,2]$0 custom-call(x), custom_call_target="as it lies"$1
})";
  const std::vector<std::string> argument = {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}"};
  EXPECT_EQ(EvaluateText(absl::Substitute(kText, "{0,1}", ""), argument),
            "f32[3,2] { { 1, 2 }, { 3, 4 }, { 5, 6 } }");
  EXPECT_EQ(
      EvaluateText(absl::Substitute(kText, "{1,0}", ", operand_layout_constraints={f32[2,3]{0,1}}"),
                   argument),
      "f32[3,2] { { 1, 4 }, { 2, 5 }, { 3, 6 } }");
  EXPECT_EQ(
      EvaluateText(absl::Substitute(kText, "{0,1}", ", operand_layout_constraints={f32[2,3]{0,1}}"),
                   argument),
      "f32[3,2] { { 1, 5 }, { 4, 3 }, { 2, 6 } }");
}

TEST(CustomCallTest, FunctionsThatMayFail) {
  constexpr char kText[] = R"(
HloModule m
ENTRY e {
  x = s32[] parameter(0)
  ROOT y = s32[] custom-call(x), custom_call_target="$0", api_version=$1, backend_config="$2"
})";
  const auto run = [&](const char* target, const char* version, const char* opaque,
                       const char* argument) {
    return EvaluateText(absl::Substitute(kText, target, version, opaque), {argument});
  };
  EXPECT_EQ(run("CheckPositive", "API_VERSION_STATUS_RETURNING", "", "s32[] 3"), "s32[] 3");
  EXPECT_EQ(run("CheckPositive", "API_VERSION_STATUS_RETURNING", "", "s32[] 0"),
            "INTERNAL: custom-call y: custom call target \"CheckPositive\" failed: not positive");
  EXPECT_EQ(run("TextLength", "API_VERSION_STATUS_RETURNING_UNIFIED", "seven..", "s32[] 0"),
            "s32[] 7");
  EXPECT_THAT(run("TextLength", "API_VERSION_STATUS_RETURNING_UNIFIED", "x", "s32[] 0"),
              HasSubstr("failed: no"));
  EXPECT_THAT(run("TextLength", "API_VERSION_TYPED_FFI", "{}", "s32[] 0"),
              HasSubstr("No FFI handler registered for TextLength"));
}

constexpr char kCallByName[] = R"(
HloModule m
ENTRY e { x = s32[] parameter(0)  ROOT y = s32[] custom-call(x), custom_call_target="$0" })";

TEST(CustomCallTest, UnknownTargetsAreNamed) {
  EXPECT_EQ(EvaluateText(absl::Substitute(kCallByName, "Elsewhere"), {"s32[] 1"}),
            "UNIMPLEMENTED: custom-call y: no function is registered for the custom call target "
            "\"Elsewhere\"");
}

TEST(CustomCallTest, SymbolsOfTheProcessOnlyWhereAskedFor) {
  const std::string text = absl::Substitute(kCallByName, "hilo_test_exported_negate");
  EXPECT_THAT(EvaluateText(text, {"s32[] 5"}), HasSubstr("no function is registered"));

  const std::unique_ptr<HloModule> module = Parse(text);
  DebugOptions options = module->config().debug_options();
  (*options.mutable_xla_backend_extra_options())["hilo_custom_calls_from_process"] = "true";
  module->mutable_config().set_debug_options(options);
  const Literal five = Value("s32[] 5");
  EXPECT_EQ(HloEvaluator().Evaluate(*module, {&five}).value(), Value("s32[] -5"));
}

TEST(CustomCallTest, DynamicDimensionsAreRefused) {
  EXPECT_THAT(EvaluateText(R"(
HloModule m
ENTRY e {
  x = f32[6] parameter(0)
  n = s32[] constant(4)
  d = f32[<=6] set-dimension-size(x, n), dimensions={0}
  ROOT y = f32[6] custom-call(d), custom_call_target="as it lies"
})",
                           {"f32[6] {1, 2, 3, 4, 5, 6}"}),
              HasSubstr("dynamic dimensions, as in f32[<=6], cannot be passed to \"as it lies\""));
}

}  // namespace
}  // namespace xla
