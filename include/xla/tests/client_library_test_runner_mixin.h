// Builds computations with XlaBuilder, runs them and compares results:
//
//   class AddTest
//       : public ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>> {};
//   TEST_F(AddTest, Adds) {
//     XlaBuilder builder(TestName());
//     Add(ConstantR1<float>(&builder, {1, 2}), ConstantR1<float>(&builder, {10, 20}));
//     ComputeAndCompareR1<float>(&builder, {11, 22}, {}, ErrorSpec(1e-5));
//   }
#ifndef XLA_TESTS_CLIENT_LIBRARY_TEST_RUNNER_MIXIN_H_
#define XLA_TESTS_CLIENT_LIBRARY_TEST_RUNNER_MIXIN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/error_spec.h"
#include "xla/execution_options_util.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape.h"
#include "xla/tests/client_library_test_runner_utils.h"
#include "xla/tests/hlo_runner_agnostic_test_base.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/types.h"
#include "xla/xla.pb.h"
#include "xla/xla_data.pb.h"

namespace xla {
namespace testing_internal {

// An F32 literal (or the F32 arrays of a tuple) as `type`, which is F32, BF16, F8E5M2 or F8E4M3FN.
// What is not F32 stays as it is.
Literal ConvertToTestType(const LiteralSlice& literal, PrimitiveType type);
// The same for a shape; layouts stay.
Shape ConvertToTestType(const Shape& shape, PrimitiveType type);

// Options whose constants are computed like everything else rather than folded away.
ExecutionOptions MakeExecutionOptionsForTest();

void SetFastMathDisabled(bool disabled, DebugOptions* options);

// Fails the test, and gives false, when a tolerance is given for elements that must be equal.
template <typename NativeT>
bool MayHaveError(const std::optional<ErrorSpec>& error) {
  constexpr bool kIsInexact = is_complex_v<NativeT> || is_specialized_floating_point_v<NativeT>;
  if (kIsInexact || !error.has_value()) return true;
  ADD_FAILURE() << "an ErrorSpec is for floating-point and complex elements, others must be equal";
  return false;
}

}  // namespace testing_internal

// T is a fixture with a reference (HloRunnerAgnosticReferenceMixin); it gets the constructor's
// arguments. The arguments of a computation are pointers to literals, one for each parameter.
//
// The functions that take a builder build what it holds, after which it is empty. The
// ComputeAndCompare ones fail the test when the program gives an error or another result than the
// expected one: Near it if there is an error specification, else Equal (see LiteralTestUtil).
//
// A test may run in another floating-point type than F32: set_float_type. F32 literals that it
// expects or makes parameters of are then converted to that type.
template <typename T>
class ClientLibraryTestRunnerMixin : public T {
  static_assert(T::has_reference_runner_mixin::value, "the fixture needs a reference");
  using Arguments = absl::Span<const Literal* const>;

 protected:
  template <typename... BaseArgs>
  explicit ClientLibraryTestRunnerMixin(BaseArgs&&... base_args)
      : T(std::forward<BaseArgs>(base_args)...),
        execution_options_(testing_internal::MakeExecutionOptionsForTest()) {}

  PrimitiveType FloatType() const { return test_type_; }
  // F32, BF16, F8E5M2 or F8E4M3FN.
  void set_float_type(PrimitiveType type) { test_type_ = type; }
  Literal MaybeConvertLiteralToTestType(const Literal& literal) const {
    return testing_internal::ConvertToTestType(literal, test_type_);
  }

  // ---- Running. With a shape the result has its layout.

  absl::StatusOr<Literal> ExecuteAndTransfer(
      const XlaComputation& computation, const Arguments arguments,
      const Shape* const shape_with_output_layout = nullptr) {
    ExecutionOptions options = execution_options_;
    if (shape_with_output_layout != nullptr) {
      *options.mutable_shape_with_output_layout() = shape_with_output_layout->ToProto();
    }
    absl::StatusOr<std::unique_ptr<HloModule>> module =
        this->HloModuleFromXlaComputation(computation, options);
    if (!module.ok()) return module.status();
    return this->Execute(*std::move(module), arguments);
  }
  absl::StatusOr<Literal> ExecuteAndTransfer(XlaBuilder* const builder, const Arguments arguments,
                                             const Shape* shape_with_output_layout = nullptr) {
    const absl::StatusOr<XlaComputation> computation = builder->Build();
    if (!computation.ok()) return computation.status();
    return ExecuteAndTransfer(*computation, arguments, shape_with_output_layout);
  }
  // The text of the result, or of the error.
  std::string ExecuteToString(XlaBuilder* const builder, const Arguments arguments) {
    const absl::StatusOr<Literal> result = ExecuteAndTransfer(builder, arguments);
    return result.ok() ? result->ToString() : result.status().ToString();
  }

  // ---- Comparing with the reference.

  void ComputeAndCompare(XlaBuilder* const builder, const Arguments arguments,
                         const std::optional<ErrorSpec> error = std::nullopt) {
    absl::StatusOr<std::unique_ptr<HloModule>> module =
        this->HloModuleFromXlaBuilder(builder, execution_options_);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_TRUE(this->RunAndCompare(*std::move(module), arguments, error));
  }

  // ---- Comparing with values.

  void ComputeAndCompareLiteral(XlaBuilder* const builder, const Literal& expected,
                                const Arguments arguments, const Shape* shape_with_layout) {
    ComputeAndCompareLiteral(builder, expected, arguments, std::nullopt, shape_with_layout);
  }
  void ComputeAndCompareLiteral(XlaBuilder* const builder, const Literal& expected,
                                const Arguments arguments,
                                const std::optional<ErrorSpec> error = std::nullopt,
                                const Shape* shape_with_layout = nullptr) {
    std::optional<Shape> shape;
    if (shape_with_layout != nullptr) {
      shape = testing_internal::ConvertToTestType(*shape_with_layout, test_type_);
    }
    const absl::StatusOr<Literal> actual =
        ExecuteAndTransfer(builder, arguments, shape.has_value() ? &*shape : nullptr);
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_TRUE(
        LiteralTestUtil::NearOrEqual(MaybeConvertLiteralToTestType(expected), *actual, error));
  }
  void ComputeAndCompareTuple(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                              std::optional<ErrorSpec> error = std::nullopt) {
    ComputeAndCompareLiteral(builder, expected, arguments, error);
  }

  template <typename NativeT>
  void ComputeAndCompareR0(XlaBuilder* builder, NativeT expected, Arguments arguments,
                           std::optional<ErrorSpec> error = std::nullopt) {
    CompareNative<NativeT>(builder, LiteralUtil::CreateR0<NativeT>(expected), arguments, error);
  }
  template <typename NativeT>
  void ComputeAndCompareR1(XlaBuilder* builder, absl::Span<const NativeT> expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    CompareNative<NativeT>(builder, LiteralUtil::CreateR1<NativeT>(expected), arguments, error);
  }
  void ComputeAndCompareR1(XlaBuilder* builder, const tsl::core::Bitmap& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    CompareNative<bool>(builder, LiteralUtil::CreateR1(expected), arguments, error);
  }
  template <typename NativeT>
  void ComputeAndCompareR2(XlaBuilder* builder, const Array2D<NativeT>& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    CompareNative<NativeT>(builder, LiteralUtil::CreateR2FromArray2D(expected), arguments, error);
  }
  template <typename NativeT>
  void ComputeAndCompareR3(XlaBuilder* builder, const Array3D<NativeT>& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    CompareNative<NativeT>(builder, LiteralUtil::CreateR3FromArray3D(expected), arguments, error);
  }
  template <typename NativeT>
  void ComputeAndCompareR4(XlaBuilder* builder, const Array4D<NativeT>& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    CompareNative<NativeT>(builder, LiteralUtil::CreateR4FromArray4D(expected), arguments, error);
  }
  // A vector of U8 with the bytes of a text.
  void ComputeAndCompareR1U8(XlaBuilder* builder, const absl::string_view expected,
                             Arguments arguments) {
    const absl::StatusOr<Literal> actual = ExecuteAndTransfer(builder, arguments);
    ASSERT_TRUE(actual.ok()) << actual.status();
    EXPECT_TRUE(LiteralTestUtil::Equal(LiteralUtil::CreateR1U8(expected), *actual));
  }

  // ---- Parameters: add one to the builder, store it in *data_handle and return its argument.

  Literal CreateParameterAndTransferLiteral(const int64_t parameter_number, const Literal& literal,
                                            const std::string& name, XlaBuilder* const builder,
                                            XlaOp* const data_handle) {
    Literal argument = MaybeConvertLiteralToTestType(literal);
    *data_handle = Parameter(builder, parameter_number, argument.shape(), name);
    return argument;
  }
  template <typename NativeT>
  Literal CreateR0Parameter(NativeT value, int64_t parameter_number, const std::string& name,
                            XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR0<NativeT>(value), name, builder, data_handle);
  }
  template <typename NativeT>
  Literal CreateR1Parameter(absl::Span<const NativeT> values, int64_t parameter_number,
                            const std::string& name, XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR1<NativeT>(values), name, builder, data_handle);
  }
  template <typename NativeT>
  Literal CreateR2Parameter(const Array2D<NativeT>& array_2d, int64_t parameter_number,
                            const std::string& name, XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR2FromArray2D(array_2d), name, builder, data_handle);
  }
  template <typename NativeT>
  Literal CreateR3Parameter(const Array3D<NativeT>& array_3d, int64_t parameter_number,
                            const std::string& name, XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR3FromArray3D(array_3d), name, builder, data_handle);
  }
  template <typename NativeT>
  Literal CreateR4Parameter(const Array4D<NativeT>& array_4d, int64_t parameter_number,
                            const std::string& name, XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR4FromArray4D(array_4d), name, builder, data_handle);
  }

  // The larger one of two scalars of the test type.
  XlaComputation CreateScalarMax() { return ::xla::CreateScalarMax(test_type_); }

  // ---- Options.

  void SetFastMathDisabled(const bool disabled) {
    testing_internal::SetFastMathDisabled(disabled, mutable_debug_options());
  }
  // Of the random numbers that a program draws.
  void SetSeed(const uint64_t seed) { execution_options_.set_seed(seed); }
  void ClearSeed() { execution_options_.clear_seed(); }

  DebugOptions* mutable_debug_options() { return execution_options_.mutable_debug_options(); }
  const ExecutionOptions& execution_options() const { return execution_options_; }
  ExecutionOptions* mutable_execution_options() { return &execution_options_; }

 private:
  template <typename NativeT>
  void CompareNative(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                     const std::optional<ErrorSpec>& error) {
    if (!testing_internal::MayHaveError<NativeT>(error)) return;
    ComputeAndCompareLiteral(builder, expected, arguments, error);
  }

  PrimitiveType test_type_ = F32;
  ExecutionOptions execution_options_;
};

}  // namespace xla

#endif  // XLA_TESTS_CLIENT_LIBRARY_TEST_RUNNER_MIXIN_H_
