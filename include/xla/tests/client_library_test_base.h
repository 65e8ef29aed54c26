// The fixture of tests written for OpenXLA before ClientLibraryTestRunnerMixin: arguments are
// values that a client holds.
//
//   class FooTest : public ClientLibraryTestBase {};
//   TEST_F(FooTest, Adds) {
//     XlaBuilder b(TestName());
//     XlaOp x;
//     std::unique_ptr<GlobalData> x_data = CreateR1Parameter<float>({1, 2}, 0, "x", &b, &x);
//     Add(x, x);
//     ComputeAndCompareR1<float>(&b, {2, 4}, {x_data.get()}, ErrorSpec(1e-5));
//   }
#ifndef XLA_TESTS_CLIENT_LIBRARY_TEST_BASE_H_
#define XLA_TESTS_CLIENT_LIBRARY_TEST_BASE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla/array.h"
#include "xla/array2d.h"
#include "xla/array3d.h"
#include "xla/array4d.h"
#include "xla/client/client.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/error_spec.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/hlo/builder/xla_computation.h"
#include "xla/hlo/testlib/test.h"
#include "xla/literal.h"
#include "xla/literal_util.h"
#include "xla/shape.h"
#include "xla/tests/client_library_test_runner_mixin.h"
#include "xla/tests/client_library_test_runner_utils.h"
#include "xla/tests/hlo_interpreter_reference_mixin.h"
#include "xla/tests/hlo_test_base.h"
#include "xla/tests/literal_test_util.h"
#include "xla/tests/test_macros.h"
#include "xla/tsl/lib/core/bitmap.h"
#include "xla/xla_data.pb.h"

namespace xla {

// Functions that are not here are those of ClientLibraryTestRunnerMixin, which says what comparing
// means.
class ClientLibraryTestBase
    : public ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>> {
  using Base = ClientLibraryTestRunnerMixin<HloInterpreterReferenceMixin<HloTestBase>>;

 protected:
  using Arguments = absl::Span<GlobalData* const>;

  // There is one platform, the host.
  explicit ClientLibraryTestBase(stream_executor::Platform* platform = nullptr);

  // ---- Running.

  absl::StatusOr<std::unique_ptr<GlobalData>> Execute(XlaBuilder* builder, Arguments arguments);
  absl::StatusOr<Literal> ExecuteAndTransfer(const XlaComputation& computation, Arguments arguments,
                                             const Shape* shape_with_output_layout = nullptr);
  absl::StatusOr<Literal> ExecuteAndTransfer(XlaBuilder* builder, Arguments arguments,
                                             const Shape* shape_with_output_layout = nullptr);
  // On the reference evaluator.
  absl::StatusOr<Literal> ExecuteAndTransferReference(
      const XlaComputation& computation, Arguments arguments,
      const Shape* shape_with_output_layout = nullptr);
  std::string ExecuteToString(XlaBuilder* builder, Arguments arguments);

  // ---- Comparing.

  // With the reference; `arguments` are the values of the parameters.
  void ComputeAndCompare(XlaBuilder* builder, absl::Span<const Literal> arguments,
                         std::optional<ErrorSpec> error = std::nullopt);

  void ComputeAndCompareLiteral(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                                const Shape* shape_with_layout = nullptr);
  void ComputeAndCompareLiteral(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                                ErrorSpec error, const Shape* shape_with_layout = nullptr);
  void ComputeAndCompareTuple(XlaBuilder* builder, const Literal& expected, Arguments arguments,
                              std::optional<ErrorSpec> error = std::nullopt);

  template <typename NativeT>
  void ComputeAndCompareR0(XlaBuilder* builder, NativeT expected, Arguments arguments,
                           std::optional<ErrorSpec> error = std::nullopt) {
    Base::ComputeAndCompareR0<NativeT>(builder, expected,
                                       LiteralUtil::MakePointers(Values(arguments)), error);
  }
  template <typename NativeT>
  void ComputeAndCompareR1(XlaBuilder* builder, absl::Span<const NativeT> expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    Base::ComputeAndCompareR1<NativeT>(builder, expected,
                                       LiteralUtil::MakePointers(Values(arguments)), error);
  }
  void ComputeAndCompareR1(XlaBuilder* builder, const tsl::core::Bitmap& expected,
                           Arguments arguments) {
    Base::ComputeAndCompareR1(builder, expected, LiteralUtil::MakePointers(Values(arguments)));
  }
  template <typename NativeT>
  void ComputeAndCompareR2(XlaBuilder* builder, const Array2D<NativeT>& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    Base::ComputeAndCompareR2<NativeT>(builder, expected,
                                       LiteralUtil::MakePointers(Values(arguments)), error);
  }
  template <typename NativeT>
  void ComputeAndCompareR3(XlaBuilder* builder, const Array3D<NativeT>& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    Base::ComputeAndCompareR3<NativeT>(builder, expected,
                                       LiteralUtil::MakePointers(Values(arguments)), error);
  }
  template <typename NativeT>
  void ComputeAndCompareR4(XlaBuilder* builder, const Array4D<NativeT>& expected,
                           Arguments arguments, std::optional<ErrorSpec> error = std::nullopt) {
    Base::ComputeAndCompareR4<NativeT>(builder, expected,
                                       LiteralUtil::MakePointers(Values(arguments)), error);
  }
  void ComputeAndCompareR1U8(XlaBuilder* builder, absl::string_view expected, Arguments arguments) {
    Base::ComputeAndCompareR1U8(builder, expected, LiteralUtil::MakePointers(Values(arguments)));
  }

  // ---- Parameters: add one to the builder, store it in *data_handle and return its argument.

  std::unique_ptr<GlobalData> CreateParameterAndTransferLiteral(int64_t parameter_number,
                                                                const Literal& literal,
                                                                const std::string& name,
                                                                XlaBuilder* builder,
                                                                XlaOp* data_handle);
  // The argument is given as it is, for ComputeAndCompare.
  Literal CreateParameter(int64_t parameter_number, const Literal& literal, const std::string& name,
                          XlaBuilder* builder, XlaOp* data_handle) {
    return Base::CreateParameterAndTransferLiteral(parameter_number, literal, name, builder,
                                                   data_handle);
  }
  template <typename NativeT>
  std::unique_ptr<GlobalData> CreateR0Parameter(NativeT value, int64_t parameter_number,
                                                const std::string& name, XlaBuilder* builder,
                                                XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR0<NativeT>(value), name, builder, data_handle);
  }
  template <typename NativeT>
  std::unique_ptr<GlobalData> CreateR1Parameter(absl::Span<const NativeT> values,
                                                int64_t parameter_number, const std::string& name,
                                                XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR1<NativeT>(values), name, builder, data_handle);
  }
  template <typename NativeT>
  std::unique_ptr<GlobalData> CreateR2Parameter(const Array2D<NativeT>& array_2d,
                                                int64_t parameter_number, const std::string& name,
                                                XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR2FromArray2D(array_2d), name, builder, data_handle);
  }
  template <typename NativeT>
  std::unique_ptr<GlobalData> CreateR3Parameter(const Array3D<NativeT>& array_3d,
                                                int64_t parameter_number, const std::string& name,
                                                XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR3FromArray3D(array_3d), name, builder, data_handle);
  }
  template <typename NativeT>
  std::unique_ptr<GlobalData> CreateR4Parameter(const Array4D<NativeT>& array_4d,
                                                int64_t parameter_number, const std::string& name,
                                                XlaBuilder* builder, XlaOp* data_handle) {
    return CreateParameterAndTransferLiteral(
        parameter_number, LiteralUtil::CreateR4FromArray4D(array_4d), name, builder, data_handle);
  }

  // Adds a parameter whose argument ComputeAndCompare(builder, {}, ...) then supplies.
  XlaOp AddParam(const Literal& argument, XlaBuilder* builder);
  template <typename NativeT>
  XlaOp AddParam(const Array<NativeT>& argument, XlaBuilder* builder) {
    return AddParam(LiteralUtil::CreateFromArray(argument), builder);
  }
  // A constant of the test type.
  XlaOp CreateConstantFromLiteral(const Literal& literal, XlaBuilder* builder) {
    return ConstantLiteral(builder, MaybeConvertLiteralToTestType(literal));
  }
  template <typename NativeT>
  XlaOp CreateConstantFromArray(const Array<NativeT>& array, XlaBuilder* builder) {
    return CreateConstantFromLiteral(LiteralUtil::CreateFromArray(array), builder);
  }

  // ---- Computations and arrays.

  XlaComputation CreateScalarRelu() { return CreateScalarReluF32(); }
  template <typename NativeT>
  static std::vector<NativeT> CreatePseudorandomR1(int width, NativeT min_value, NativeT max_value,
                                                   uint32_t seed) {
    return ::xla::CreatePseudorandomR1<NativeT>(width, min_value, max_value, seed);
  }
  template <typename NativeT>
  static std::unique_ptr<Array2D<NativeT>> CreatePseudorandomR2(int rows, int cols,
                                                                NativeT min_value,
                                                                NativeT max_value, uint32_t seed) {
    return ::xla::CreatePseudorandomR2<NativeT>(rows, cols, min_value, max_value, seed);
  }
  static std::unique_ptr<Array2D<float>> CreatePatternedMatrix(int rows, int cols,
                                                               float offset = 0.0f) {
    return ::xla::CreatePatternedMatrix(rows, cols, offset);
  }
  static std::unique_ptr<Array2D<float>> CreatePatternedMatrixWithZeroPadding(int rows, int cols,
                                                                              int rows_padded,
                                                                              int cols_padded) {
    return ::xla::CreatePatternedMatrixWithZeroPadding(rows, cols, rows_padded, cols_padded);
  }

  bool use_bfloat16() const { return FloatType() == BF16; }
  void set_use_bfloat16(bool value) { set_float_type(value ? BF16 : F32); }

  LocalClient* client_;

 private:
  // The arguments on the host.
  std::vector<Literal> Values(Arguments arguments);

  std::vector<Literal> added_arguments_;  // of AddParam
};

}  // namespace xla

#endif  // XLA_TESTS_CLIENT_LIBRARY_TEST_BASE_H_
