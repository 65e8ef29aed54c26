// Handlers made with the header that depends on nothing, called by programs on both back ends.
#include <gmock/gmock.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/ffi/run.h"
#include "xla/ffi/api/ffi.h"
#include "xla/ffi/execution_context.h"
#include "xla/ffi/ffi_api.h"
#include "xla/layout_util.h"
#include "xla/literal_util.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace ffi = xla::ffi;

namespace {

enum class Way : uint8_t { kUp = 1, kDown = 2 };
struct Range {
  int64_t begin;
  float step;
};

}  // namespace

XLA_FFI_REGISTER_ENUM_ATTR_DECODING(Way);
XLA_FFI_REGISTER_STRUCT_ATTR_DECODING(Range, StructMember<int64_t>("begin"),
                                      StructMember<float>("step"));

namespace xla {
namespace {

using ::testing::HasSubstr;
using External = BackEndTest;
HILO_ON_BOTH_BACK_ENDS(External);

#define HILO_REGISTER(name, ...) \
  XLA_FFI_REGISTER_HANDLER(ffi::GetXlaFfiApi(), name, "Host", __VA_ARGS__)

// Copies bytes, whatever they are.
XLA_FFI_DEFINE_HANDLER(
    kCopy,
    [](ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y) {
      if (x.element_type() != y->element_type() || x.dimensions() != y->dimensions())
        return ffi::Error::InvalidArgument("operand and result differ");
      std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
HILO_REGISTER("test.copy", kCopy);

TEST_P(External, EveryElementType) {
  for (int i = 1; i < PrimitiveType_ARRAYSIZE; ++i) {
    const auto type = static_cast<PrimitiveType>(i);
    if (!PrimitiveType_IsValid(i) || !primitive_util::IsArrayType(type)) continue;
    if (primitive_util::IsF6Type(type)) continue;  // the interface has no number for them
    const std::string name(primitive_util::LowercasePrimitiveTypeName(type));
    Literal value(ShapeUtil::MakeShape(type, {2, 3}));
    char* const bytes = static_cast<char*>(value.untyped_data());
    for (int64_t k = 0; k < value.size_bytes(); ++k) bytes[k] = type == PRED ? k % 2 : k % 2 + 1;
    if (primitive_util::IsSubByteNonPredType(type)) {
      const char one = type == S1 ? -1 : 1;
      for (int64_t k = 0; k < value.size_bytes(); ++k) bytes[k] = k % 2 == 0 ? 0 : one;
    }
    const std::string shape = name + "[2,3]";
    absl::StatusOr<Literal> result =
        RunOn(GetParam(), Module(shape, {shape}, "test.copy"), Literals(value.Clone()));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(std::memcmp(result->untyped_data(), bytes, value.size_bytes()), 0) << name;
    EXPECT_EQ(ffi::ByteWidth(static_cast<ffi::DataType>(i)), primitive_util::ByteWidth(type));
  }
}

TEST_P(External, TypesWithoutNumberAreRefused) {
  for (PrimitiveType type : {F6E2M3FN, F6E3M2FN}) {
    const std::string shape =
        std::string(primitive_util::LowercasePrimitiveTypeName(type)) + "[2,3]";
    const absl::Status status = RunOn(GetParam(), Module(shape, {shape}, "test.copy"),
                                      Literals(Literal(ShapeUtil::MakeShape(type, {2, 3}))))
                                    .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    EXPECT_THAT(status.message(), HasSubstr(shape));
  }
}

// The number of elements and the rank of the operand.
XLA_FFI_DEFINE_HANDLER(
    kMeasure,
    [](ffi::AnyBuffer x, ffi::ResultBuffer<ffi::S64, 1> y) {
      y->typed_data()[0] = static_cast<int64_t>(x.element_count());
      y->typed_data()[1] = static_cast<int64_t>(x.dimensions().size());
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::Buffer<ffi::S64, 1>>());
HILO_REGISTER("test.measure", kMeasure);

TEST_P(External, ScalarsAndEmptyArrays) {
  absl::StatusOr<Literal> result = RunOn(GetParam(), Module("s64[2]", {"f32[]"}, "test.measure"),
                                         Literals(LiteralUtil::CreateR0<float>(1)));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<int64_t>({1, 0}));
  result = RunOn(GetParam(), Module("s64[2]", {"f32[3,0]"}, "test.measure"),
                 Literals(Literal(ShapeUtil::MakeShape(F32, {3, 0}))));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<int64_t>({0, 2}));
}

// Attributes of every kind as one text.
XLA_FFI_DEFINE_HANDLER(
    kDescribe,
    [](bool flag, int8_t i8, uint16_t u16, double f64, std::complex<float>* unused,
       std::string_view name, ffi::Span<const int32_t> numbers, Way way, Range range,
       ffi::Dictionary rest, std::variant<int64_t, float> either, ffi::ResultBuffer<ffi::F64> y) {
      double* const out = y->typed_data();
      out[0] = flag;
      out[1] = i8;
      out[2] = u16;
      out[3] = f64;
      out[4] = unused == nullptr;
      out[5] = static_cast<double>(name.size());
      out[6] = numbers.back();
      out[7] = static_cast<double>(way);
      out[8] = static_cast<double>(range.begin) + range.step;
      const ffi::ErrorOr<int32_t> inner = rest.get<int32_t>("inner");
      if (inner.has_error()) return inner.error();
      out[9] = *inner;
      out[10] = rest.contains("none") || rest.contains<float>("inner") ? -1 : 1;
      out[11] = either.index() == 1 ? std::get<1>(either) : -1;
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind()
        .Attr<bool>("flag")
        .Attr<int8_t>("i8")
        .Attr<uint16_t>("u16")
        .Attr<double>("f64")
        .Attr<ffi::Pointer<std::complex<float>>>("pointer")
        .Attr<std::string_view>("name")
        .Attr<ffi::Span<const int32_t>>("numbers")
        .Attr<Way>("way")
        .Attr<Range>("range")
        .Attr<ffi::Dictionary>("rest")
        .Attr<std::variant<int64_t, float>>("either")
        .Ret<ffi::Buffer<ffi::F64>>());
HILO_REGISTER("test.describe", kDescribe);

constexpr char kDescribed[] =
    "{flag = true, i8 = -7 : i8, u16 = 65535 : ui16, f64 = 2.5, pointer = 0 : i64, name = \"abc\", "
    "numbers = array<i32: 1, 2, 30>, way = 2 : ui8, range = {begin = 5 : i64, step = 0.5 : f32}, "
    "rest = {inner = 11 : i32}, either = 4.0 : f32}";

TEST_P(External, Attributes) {
  absl::StatusOr<Literal> result =
      RunOn(GetParam(), Module("f64[12]", {}, "test.describe", kDescribed));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result,
            LiteralUtil::CreateR1<double>({1, -7, 65535, 2.5, 1, 3, 30, 2, 5.5, 11, 1, 4}));
}

std::string Replaced(std::string text, const std::string& old, const std::string& now) {
  return text.replace(text.find(old), old.size(), now);
}

TEST_P(External, WrongAttributes) {
  const auto message = [&](const std::string& old, const std::string& now) {
    const absl::Status status =
        RunOn(GetParam(), Module("f64[12]", {}, "test.describe", Replaced(kDescribed, old, now)))
            .status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("custom-call call"));
    return std::string(status.message());
  };
  EXPECT_THAT(message("-7 : i8", "-7 : i16"),
              HasSubstr("Wrong scalar data type: expected S8 but got S16"));
  EXPECT_THAT(message("2 : ui8", "2 : i8"), HasSubstr("attribute way: Wrong scalar data type"));
  EXPECT_THAT(message("\"abc\"", "3"), HasSubstr("expected string but got scalar"));
  EXPECT_THAT(message("array<i32", "array<i64"), HasSubstr("Wrong array data type: expected S32"));
  EXPECT_THAT(message("step", "steps"), HasSubstr("there is none named step"));
  EXPECT_THAT(message(", step = 0.5 : f32", ""), HasSubstr("expected 2 attributes but got 1"));
  EXPECT_THAT(message("rest = {inner = 11 : i32}", "rest = 1"), HasSubstr("expected dictionary"));
  EXPECT_THAT(message("4.0 : f32", "\"x\""), HasSubstr("none of the variant's alternatives"));
  EXPECT_THAT(message("either", "neither"), HasSubstr("Attribute name mismatch: expected either"));
  EXPECT_THAT(message("flag = true, ", ""),
              HasSubstr("Wrong number of attributes: expected 11 but got 10"));
  EXPECT_THAT(message("inner =", "outer ="), HasSubstr("there is none named inner"));
}

// Operands in another order, and what is left of them.
XLA_FFI_DEFINE_HANDLER(
    kGather,
    [](ffi::BufferR0<ffi::S32> first, ffi::RemainingArgs args, ffi::RemainingRets rets) {
      if (args.size() != rets.size()) return ffi::Error::InvalidArgument("counts differ");
      for (size_t i = 0; i < args.size(); ++i) {
        auto in = args.get<ffi::BufferR0<ffi::S32>>(args.size() - 1 - i);
        if (in.has_error()) return in.error();
        auto out = rets.get<ffi::BufferR0<ffi::S32>>(i);
        if (out.has_error()) return out.error();
        *(*out)->typed_data() = *in->typed_data() + *first.typed_data();
      }
      return args.get<ffi::AnyBuffer>(args.size()).has_error() ? ffi::Error::Success()
                                                               : ffi::Error::Internal("too many");
    },
    ffi::Ffi::Bind().Arg<ffi::BufferR0<ffi::S32>>().RemainingArgs().RemainingRets());
HILO_REGISTER("test.gather", kGather);

TEST_P(External, TuplesAreTheirArrays) {
  const std::string text = R"(HloModule m
ENTRY e {
  p = (s32[], (s32[], s32[]), ()) parameter(0)
  ROOT call = ((s32[]), s32[]) custom-call(p), custom_call_target="test.gather", api_version=API_VERSION_TYPED_FFI
})";
  Literal one = LiteralUtil::CreateR0<int32_t>(100), two = LiteralUtil::CreateR0<int32_t>(2),
          three = LiteralUtil::CreateR0<int32_t>(3);
  Literal inner = LiteralUtil::MakeTuple({&two, &three}), none = LiteralUtil::MakeTuple({});
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::MakeTuple({&one, &inner, &none}));
  absl::StatusOr<Literal> result = RunOn(GetParam(), text, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get<int32_t>({}, {0, 0}), 103);
  EXPECT_EQ(result->Get<int32_t>({}, {1}), 102);
}

XLA_FFI_DEFINE_HANDLER(
    kMaybe,
    [](std::optional<ffi::BufferR0<ffi::F32>> x, ffi::Result<ffi::BufferR0<ffi::F32>> y,
       std::optional<ffi::Result<ffi::BufferR0<ffi::F32>>> z) {
      *y->typed_data() = x.has_value() ? *x->typed_data() : -1;
      if (z.has_value()) *(*z)->typed_data() = 7;
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind()
        .OptionalArg<ffi::BufferR0<ffi::F32>>()
        .Ret<ffi::BufferR0<ffi::F32>>()
        .OptionalRet<ffi::BufferR0<ffi::F32>>());
HILO_REGISTER("test.maybe", kMaybe);

TEST_P(External, OptionalOperandsAndResults) {
  absl::StatusOr<Literal> result = RunOn(GetParam(), Module("f32[]", {}, "test.maybe"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get<float>({}), -1);
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR0<float>(5));
  result = RunOn(GetParam(), Module("(f32[], f32[])", {"f32[]"}, "test.maybe"), arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get<float>({}, {0}), 5);
  EXPECT_EQ(result->Get<float>({}, {1}), 7);
  const absl::Status status = RunOn(GetParam(), Module("f32[]", {"s32[]"}, "test.maybe"),
                                    Literals(LiteralUtil::CreateR0<int32_t>(5)))
                                  .status();
  EXPECT_THAT(status.message(), HasSubstr("Wrong buffer dtype: expected F32 but got S32"));
}

TEST_P(External, WrongOperands) {
  const auto message = [&](const std::string& result, std::vector<std::string> operands) {
    std::vector<Literal> arguments;
    for (const std::string& operand : operands) arguments.push_back(Literal(*ParseShape(operand)));
    const absl::Status status =
        RunOn(GetParam(), Module(result, operands, "test.gather"), arguments).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(message("s32[]", {}),
              HasSubstr("Wrong number of arguments: expected at least 1 but got 0"));
  EXPECT_THAT(message("()", {"f32[]"}), HasSubstr("Wrong buffer dtype: expected S32 but got F32"));
  EXPECT_THAT(message("()", {"s32[1]"}), HasSubstr("Wrong buffer rank: expected 0 but got 1"));
  EXPECT_THAT(message("s32[]", {"s32[]"}), HasSubstr("counts differ"));
}

TEST_P(External, TokensHaveNoData) {
  const std::string text = R"(HloModule m
ENTRY e {
  first = token[] after-all()
  x = s32[] constant(4)
  call = (s32[], token[], s32[]) custom-call(x, first, x), custom_call_target="test.token", api_version=API_VERSION_TYPED_FFI, custom_call_has_side_effect=true
  ROOT y = s32[] get-tuple-element(call), index=2
})";
  absl::StatusOr<Literal> result = RunOn(GetParam(), text);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Get<int32_t>({}), 8);
}
XLA_FFI_DEFINE_HANDLER(kToken, [](ffi::BufferR0<ffi::S32> x, ffi::Token in,
                                  ffi::BufferR0<ffi::S32> y, ffi::Result<ffi::BufferR0<ffi::S32>> a,
                                  ffi::Result<ffi::Token> out,
                                  ffi::Result<ffi::BufferR0<ffi::S32>> b) {
  if (in.untyped_data() != nullptr || out->untyped_data() != nullptr || in.size_bytes() != 0)
    return ffi::Error::Internal("a token has data");
  *a->typed_data() = 0;
  *b->typed_data() = *x.typed_data() + *y.typed_data();
  return ffi::Error::Success();
});
HILO_REGISTER("test.token", kToken);

// Layouts: the bytes as they lie in memory.
TEST_P(External, BuffersLieAsLayoutsSay) {
  const std::string text = Module("f32[6]{0}", {"f32[2,3]"}, "test.bytes", "",
                                  ", operand_layout_constraints={f32[2,3]{0,1}}");
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  absl::StatusOr<Literal> result = RunOn(GetParam(), text, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<float>({1, 4, 2, 5, 3, 6}));
  const std::string back = Module("f32[3,2]{0,1}", {"f32[6]"}, "test.bytes", "",
                                  ", operand_layout_constraints={f32[6]{0}}");
  arguments[0] = LiteralUtil::CreateR1<float>({1, 2, 3, 4, 5, 6});
  result = RunOn(GetParam(), back, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Relayout(LayoutUtil::MakeLayout({1, 0})),
            LiteralUtil::CreateR2<float>({{1, 4}, {2, 5}, {3, 6}}));
}
XLA_FFI_DEFINE_HANDLER(kBytes, [](ffi::AnyBuffer x, ffi::Result<ffi::AnyBuffer> y) {
  std::memcpy(y->untyped_data(), x.untyped_data(), x.size_bytes());
  return ffi::Error::Success();
});
HILO_REGISTER("test.bytes", kBytes);

TEST_P(External, AliasedResultsBeginAsTheOperand) {
  const std::string text = Module("f32[2]", {"f32[2]"}, "test.nothing", "",
                                  ", output_to_operand_aliasing={{}: (0, {})}");
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR1<float>({3, 4}));
  absl::StatusOr<Literal> result = RunOn(GetParam(), text, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<float>({3, 4}));
}
TEST_P(External, AliasedResultsBeginAsTheOperandInEveryLayout) {
  const std::string text = Module("f32[2,3]{0,1}", {"f32[2,3]"}, "test.nothing", "",
                                  ", operand_layout_constraints={f32[2,3]{0,1}}, "
                                  "output_to_operand_aliasing={{}: (0, {})}");
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}}));
  absl::StatusOr<Literal> result = RunOn(GetParam(), text, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->Relayout(LayoutUtil::MakeLayout({1, 0})), arguments[0]);
}
XLA_FFI_DEFINE_HANDLER(kNothing, [](ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  return ffi::Error::Success();
});
HILO_REGISTER("test.nothing", kNothing);

// An operand that the result aliases is the result's memory.
TEST_P(External, HandlersMayWorkInPlace) {
  const std::string text = Module("(f32[2], f32[2])", {"f32[2]", "f32[2]"}, "test.swap_in_place",
                                  "", ", output_to_operand_aliasing={{0}: (1, {}), {1}: (0, {})}");
  std::vector<Literal> arguments;
  arguments.push_back(LiteralUtil::CreateR1<float>({3, 4}));
  arguments.push_back(LiteralUtil::CreateR1<float>({5, 6}));
  absl::StatusOr<Literal> result = RunOn(GetParam(), text, arguments);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->ToStringOneline(), "( f32[2] {6, 7}, f32[2] {4, 5} )");
  EXPECT_EQ(arguments[0], LiteralUtil::CreateR1<float>({3, 4}));
}
XLA_FFI_DEFINE_HANDLER(kSwapInPlace, [](ffi::Buffer<ffi::F32> x, ffi::Buffer<ffi::F32> y,
                                        ffi::Result<ffi::AnyBuffer>, ffi::Result<ffi::AnyBuffer>) {
  for (int i = 0; i < 2; ++i) x.typed_data()[i] += 1, y.typed_data()[i] += 1;
  return ffi::Error::Success();
});
HILO_REGISTER("test.swap_in_place", kSwapInPlace);

TEST_P(External, ErrorsAreStatuses) {
  for (int code = 1; code <= 16; ++code) {
    const absl::Status status =
        RunOn(GetParam(),
              Module("f32[]", {}, "test.fail", "{code = " + std::to_string(code) + " : i32}"))
            .status();
    EXPECT_EQ(static_cast<int>(status.code()), code);
    EXPECT_THAT(status.message(), HasSubstr("custom-call call: it went wrong"));
  }
}
XLA_FFI_DEFINE_HANDLER(
    kFail,
    [](int32_t code, ffi::Result<ffi::AnyBuffer>) {
      return ffi::Error(static_cast<ffi::ErrorCode>(code), "it went wrong");
    },
    ffi::Ffi::Bind().Attr<int32_t>("code").Ret<ffi::AnyBuffer>());
HILO_REGISTER("test.fail", kFail);

// A handler that lets its exceptions out, as those do that are compiled against other headers.
XLA_FFI_Error* ThrowThrough(XLA_FFI_CallFrame* frame) {
  if (frame->extension_start != nullptr) return kNothing(frame);
  throw std::runtime_error("out of the handler");
}
XLA_FFI_DEFINE_HANDLER(
    kThrow,
    [](bool standard, ffi::Result<ffi::AnyBuffer>) -> ffi::Error {
      if (standard) throw std::runtime_error("no such thing");
      throw 42;
    },
    ffi::Ffi::Bind().Attr<bool>("standard").Ret<ffi::AnyBuffer>());
HILO_REGISTER("test.throw", kThrow);
HILO_REGISTER("test.throw_through", ThrowThrough);

TEST_P(External, ExceptionsDoNotCross) {
  absl::Status status =
      RunOn(GetParam(), Module("f32[]", {}, "test.throw", "{standard = true}")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("no such thing"));
  status = RunOn(GetParam(), Module("f32[]", {}, "test.throw", "{standard = false}")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  status = RunOn(GetParam(), Module("f32[]", {}, "test.throw_through")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(status.message(), HasSubstr("out of the handler"));
}

TEST_P(External, UnknownTargets) {
  const absl::Status status = RunOn(GetParam(), Module("f32[]", {}, "test.unknown")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("No FFI handler registered for test.unknown"));
}

// State.
struct Counter {
  static ffi::TypeId id;
  static std::atomic<int> alive;
  explicit Counter(int64_t count) : count(count) { ++alive; }
  ~Counter() { --alive; }
  std::atomic<int64_t> count;
};
ffi::TypeId Counter::id = {};
std::atomic<int> Counter::alive = 0;
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "test.counter", &Counter::id,
                      ffi::MakeTypeInfo<Counter>());

ffi::ErrorOr<std::unique_ptr<Counter>> MakeCounter(int64_t start) {
  if (start < 0) return ffi::Error::InvalidArgument("negative");
  return std::make_unique<Counter>(start);
}
XLA_FFI_DEFINE_HANDLER(kMakeCounter, MakeCounter,
                       ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER(
    kPrepareCounter,
    []() { return ffi::ErrorOr<std::unique_ptr<Counter>>(std::make_unique<Counter>(1000)); },
    ffi::Ffi::BindPrepare());
XLA_FFI_DEFINE_HANDLER(
    kInitializeCounter,
    [](Counter* prepared) {
      prepared->count += 500;
      return ffi::Error::Success();
    },
    ffi::Ffi::BindInitialize().Ctx<ffi::Prepared<Counter>>());
XLA_FFI_DEFINE_HANDLER(
    kCount,
    [](Counter* instance, Counter* prepared, ffi::ResultBuffer<ffi::S64> y) {
      y->typed_data()[0] = ++instance->count;
      y->typed_data()[1] = ++prepared->count;
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind()
        .Ctx<ffi::State<Counter>>()
        .Ctx<ffi::Prepared<Counter>>()
        .Ret<ffi::Buffer<ffi::S64>>());
HILO_REGISTER("test.count", {kMakeCounter, kPrepareCounter, kInitializeCounter, kCount});

// Registered for execution alone, it finds no state.
XLA_FFI_DEFINE_HANDLER(
    kHasState,
    [](Counter* instance, ffi::ResultBuffer<ffi::PRED> y) {
      y->typed_data()[0] = instance != nullptr;
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::PRED>>());
HILO_REGISTER("test.has_state", {nullptr, nullptr, nullptr, kHasState});

TEST_P(External, StagesWithoutHandlerHaveNoState) {
  const absl::StatusOr<Literal> result = RunOn(GetParam(), Module("pred[]", {}, "test.has_state"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(result->Get<bool>({}));
}

TEST_P(External, StatesLiveAsLongAsTheProgramOrTheRun) {
  // With or without a side effect, the call stays in the loop.
  for (const std::string side_effect : {"false", "true"}) {
    const std::string text = R"(HloModule m
body {
  p = (s32[], s64[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  call = s64[2] custom-call(), custom_call_target="test.count", api_version=API_VERSION_TYPED_FFI, backend_config={start = 40}, custom_call_has_side_effect=)" +
                             side_effect + R"(
  ROOT r = (s32[], s64[2]) tuple(next, call)
}
cond {
  p = (s32[], s64[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT r = pred[] compare(i, n), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  none = s64[2] constant({0, 0})
  init = (s32[], s64[2]) tuple(zero, none)
  loop = (s32[], s64[2]) while(init), body=body, condition=cond
  ROOT r = s64[2] get-tuple-element(loop), index=1
})";
    ASSERT_EQ(Counter::alive, 0);
    {
      absl::StatusOr<std::unique_ptr<CompiledModule>> module = Compile(GetParam(), text);
      ASSERT_TRUE(module.ok()) << module.status();
      for (int64_t run = 1; run <= 2; ++run) {
        absl::StatusOr<Literal> result = (*module)->Run({});
        ASSERT_TRUE(result.ok()) << result.status();
        const int64_t per_run = result->Get<int64_t>({1}) - 1500;
        EXPECT_EQ(result->Get<int64_t>({0}), 40 + run * per_run);
        EXPECT_EQ(per_run, 3);
        EXPECT_GE(Counter::alive, 1);
      }
    }
    EXPECT_EQ(Counter::alive, 0);
  }
}

TEST_P(External, InstantiationMayFail) {
  const absl::Status status =
      RunOn(GetParam(), Module("s64[2]", {}, "test.count", "{start = -1}")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("negative"));
}

// Futures.
XLA_FFI_DEFINE_HANDLER(
    kLater,
    [](int64_t parts, bool fails, ffi::ThreadPool threads, ffi::ResultBuffer<ffi::S64> y) {
      ffi::CountDownPromise promise(parts);
      const ffi::Future future(promise);
      int64_t* const out = y->typed_data();
      for (int64_t i = 0; i < parts; ++i) {
        threads.Schedule([=]() mutable {
          out[i] = i + 1;
          promise.CountDown(fails && i == 1
                                ? ffi::Error(ffi::ErrorCode::kAborted, "part one failed")
                                : ffi::Error::Success());
        });
      }
      return future;
    },
    ffi::Ffi::Bind()
        .Attr<int64_t>("parts")
        .Attr<bool>("fails")
        .Ctx<ffi::ThreadPool>()
        .Ret<ffi::Buffer<ffi::S64>>());
HILO_REGISTER("test.later", kLater);
XLA_FFI_DEFINE_HANDLER(kNever,
                       [](ffi::Result<ffi::AnyBuffer>) { return ffi::Future(ffi::Promise()); });
HILO_REGISTER("test.never", kNever);

TEST_P(External, FuturesAreWaitedFor) {
  for (int i = 0; i < 20; ++i) {
    absl::StatusOr<Literal> result =
        RunOn(GetParam(), Module("s64[8]", {}, "test.later", "{parts = 8, fails = false}"));
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, LiteralUtil::CreateR1<int64_t>({1, 2, 3, 4, 5, 6, 7, 8}));
  }
  absl::Status status =
      RunOn(GetParam(), Module("s64[8]", {}, "test.later", "{parts = 8, fails = true}")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_THAT(status.message(), HasSubstr("custom-call call: part one failed"));
  status = RunOn(GetParam(), Module("s64[]", {}, "test.never")).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
}

TEST(FutureTest, OnReadyIsCalledOnce) {
  ffi::Promise promise;
  ffi::Future future(promise);
  int calls = 0;
  future.OnReady(
      [&](const std::optional<ffi::Error>& error) { calls += error.has_value() ? 10 : 1; });
  EXPECT_EQ(calls, 0);
  promise.SetAvailable();
  promise.SetError(ffi::Error::Internal("too late"));
  EXPECT_EQ(calls, 1);
  future.OnReady(
      [&](const std::optional<ffi::Error>& error) { calls += error.has_value() ? 10 : 1; });
  EXPECT_EQ(calls, 2);
}

// Contexts.
struct Greeting {
  static ffi::TypeId id;
  std::string text;
};
ffi::TypeId Greeting::id = {};
XLA_FFI_REGISTER_TYPE(ffi::GetXlaFfiApi(), "test.greeting", &Greeting::id,
                      ffi::MakeTypeInfo<Greeting>());
XLA_FFI_DEFINE_HANDLER(
    kContext,
    [](Greeting* greeting, ffi::RunId run, int32_t device, ffi::ScratchAllocator scratch,
       ffi::Context all, ffi::ResultBuffer<ffi::S64> y) {
      const std::optional<void*> block = scratch.Allocate(1000, 256);
      if (!block.has_value() || reinterpret_cast<uintptr_t>(*block) % 256 != 0)
        return ffi::Error::Internal("no memory");
      std::memset(*block, 1, 1000);
      if (all.get<ffi::PlatformStream<void*>>().has_value())
        return ffi::Error::Internal("there is a stream");
      y->typed_data()[0] = static_cast<int64_t>(greeting->text.size());
      y->typed_data()[1] = run.run_id;
      y->typed_data()[2] = device;
      y->typed_data()[3] = all.get<ffi::ThreadPool>()->num_threads() > 0;
      return ffi::Error::Success();
    },
    ffi::Ffi::Bind()
        .Ctx<ffi::UserData<Greeting>>()
        .Ctx<ffi::RunId>()
        .Ctx<ffi::DeviceOrdinal>()
        .Ctx<ffi::ScratchAllocator>()
        .Ctx()
        .Ret<ffi::Buffer<ffi::S64>>());
HILO_REGISTER("test.context", kContext);

TEST_P(External, Contexts) {
  ffi::ExecutionContext user;
  ASSERT_TRUE(user.Emplace<Greeting>(Greeting{"hello"}).ok());
  EXPECT_EQ(user.Emplace<Greeting>(Greeting{"again"}).code(), absl::StatusCode::kAlreadyExists);
  RunContext context;
  context.ffi = {&user, 17, 3};
  absl::StatusOr<Literal> result =
      RunOn(GetParam(), Module("s64[4]", {}, "test.context"), {}, context);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(*result, LiteralUtil::CreateR1<int64_t>({5, 17, 3, 1}));
  const absl::Status status = RunOn(GetParam(), Module("s64[4]", {}, "test.context")).status();
  EXPECT_THAT(status.message(), HasSubstr("Failed to get user data from execution context"));
}

// The registry.
TEST(RegistryTest, NamesAndPlatforms) {
  for (const char* platform : {"Host", "HOST", "cpu", "CPU"}) {
    absl::StatusOr<ffi::HandlerRegistration> found = ffi::FindHandler("test.copy", platform);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->bundle.execute, kCopy);
    EXPECT_EQ(found->metadata.api_version.minor_version, XLA_FFI_API_MINOR);
  }
  EXPECT_EQ(ffi::FindHandler("test.copy", "CUDA").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ffi::StaticRegisteredHandlers("Host")->count("test.count"), 1);
  const XLA_FFI_Api* const api = ffi::GetXlaFfiApi();
  EXPECT_TRUE(
      ffi::TakeStatus(ffi::Ffi::RegisterStaticHandler(api, "test.copy", "cpu", kCopy)).ok());
  EXPECT_EQ(
      ffi::TakeStatus(ffi::Ffi::RegisterStaticHandler(api, "test.copy", "Host", kBytes)).code(),
      absl::StatusCode::kAlreadyExists);
  XLA_FFI_Handler_Bundle none = {};
  EXPECT_EQ(ffi::TakeStatus(ffi::Ffi::RegisterStaticHandler(api, "test.none", "Host", none)).code(),
            absl::StatusCode::kInvalidArgument);
}

XLA_FFI_DEFINE_HANDLER(kRecorded,
                       [](ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) { return ffi::Error(); },
                       ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>(),
                       {ffi::Traits::kCmdBufferCompatible});
HILO_REGISTER("test.recorded", kRecorded);
HILO_REGISTER("test.recorded too", kCopy, XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE);

TEST(RegistryTest, Traits) {
  EXPECT_TRUE(ffi::IsCommandBufferCompatible(ffi::FindHandler("test.recorded", "Host")->metadata));
  EXPECT_TRUE(
      ffi::IsCommandBufferCompatible(ffi::FindHandler("test.recorded too", "Host")->metadata));
  EXPECT_FALSE(ffi::IsCommandBufferCompatible(ffi::FindHandler("test.copy", "Host")->metadata));
}

TEST(RegistryTest, Types) {
  const XLA_FFI_Api* const api = ffi::GetXlaFfiApi();
  XLA_FFI_TypeId same = {};
  const XLA_FFI_TypeInfo info = ffi::MakeTypeInfo<Greeting>();
  EXPECT_TRUE(ffi::TakeStatus(ffi::Ffi::RegisterTypeId(api, "test.greeting", &same, info)).ok());
  EXPECT_EQ(same.type_id, Greeting::id.type_id);
  XLA_FFI_TypeId other = {Greeting::id.type_id + 1000};
  EXPECT_EQ(ffi::TakeStatus(ffi::Ffi::RegisterTypeId(api, "test.greeting", &other, info)).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ffi::TakeStatus(ffi::Ffi::RegisterTypeId(api, "test.other", &same, info)).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_P(External, HandlersOfAnotherStageAreRefused) {
  // Only the call shows that this is no handler for execution.
  EXPECT_TRUE(ffi::TakeStatus(ffi::Ffi::RegisterStaticHandler(
                                  ffi::GetXlaFfiApi(), "test.wrong stage", "Host", kMakeCounter))
                  .ok());
  const absl::Status status =
      RunOn(GetParam(), Module("f32[]", {}, "test.wrong stage", "{start = 1}")).status();
  EXPECT_THAT(status.message(), HasSubstr("Wrong execution stage"));
}

TEST_P(External, ManyThreadsRunOneProgram) {
  absl::StatusOr<std::unique_ptr<CompiledModule>> module =
      Compile(GetParam(), Module("f32[2,3]", {"f32[2,3]"}, "test.copy"));
  ASSERT_TRUE(module.ok()) << module.status();
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      const Literal value = LiteralUtil::CreateFullWithDescendingLayout<float>({2, 3}, t);
      for (int i = 0; i < 100; ++i) {
        absl::StatusOr<Literal> result = (*module)->Run({&value});
        right += result.ok() && *result == value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 800);
}

}  // namespace
}  // namespace xla
