#include "xla/tests/client_library_test_base.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace xla {

ClientLibraryTestBase::ClientLibraryTestBase(stream_executor::Platform* platform)
    : client_(ClientLibrary::LocalClientOrDie()) {}

std::vector<Literal> ClientLibraryTestBase::Values(Arguments arguments) {
  std::vector<Literal> values;
  for (const GlobalData* argument : arguments)
    values.push_back(client_->Transfer(*argument).value());
  return values;
}

absl::StatusOr<std::unique_ptr<GlobalData>> ClientLibraryTestBase::Execute(XlaBuilder* builder,
                                                                           Arguments arguments) {
  HILO_ASSIGN_OR_RETURN(const Literal result, ExecuteAndTransfer(builder, arguments));
  return client_->TransferToServer(result);
}

absl::StatusOr<Literal> ClientLibraryTestBase::ExecuteAndTransfer(
    const XlaComputation& computation, Arguments arguments, const Shape* shape_with_output_layout) {
  return Base::ExecuteAndTransfer(computation, LiteralUtil::MakePointers(Values(arguments)),
                                  shape_with_output_layout);
}

absl::StatusOr<Literal> ClientLibraryTestBase::ExecuteAndTransfer(
    XlaBuilder* builder, Arguments arguments, const Shape* shape_with_output_layout) {
  return Base::ExecuteAndTransfer(builder, LiteralUtil::MakePointers(Values(arguments)),
                                  shape_with_output_layout);
}

absl::StatusOr<Literal> ClientLibraryTestBase::ExecuteAndTransferReference(
    const XlaComputation& computation, Arguments arguments, const Shape* shape_with_output_layout) {
  ExecutionOptions options = execution_options();
  if (shape_with_output_layout != nullptr) {
    *options.mutable_shape_with_output_layout() = shape_with_output_layout->ToProto();
  }
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module,
                        HloModuleFromXlaComputation(computation, options));
  return reference_runner().Execute(std::move(module), LiteralUtil::MakePointers(Values(arguments)),
                                    /*run_hlo_passes=*/false);
}

std::string ClientLibraryTestBase::ExecuteToString(XlaBuilder* builder, Arguments arguments) {
  return Base::ExecuteToString(builder, LiteralUtil::MakePointers(Values(arguments)));
}

void ClientLibraryTestBase::ComputeAndCompare(XlaBuilder* builder,
                                              absl::Span<const Literal> arguments,
                                              std::optional<ErrorSpec> error) {
  std::vector<const Literal*> values = LiteralUtil::MakePointers(added_arguments_);
  for (const Literal& argument : arguments) values.push_back(&argument);
  Base::ComputeAndCompare(builder, values, error);
}

void ClientLibraryTestBase::ComputeAndCompareLiteral(XlaBuilder* builder, const Literal& expected,
                                                     Arguments arguments,
                                                     const Shape* shape_with_layout) {
  Base::ComputeAndCompareLiteral(builder, expected, LiteralUtil::MakePointers(Values(arguments)),
                                 std::nullopt, shape_with_layout);
}

void ClientLibraryTestBase::ComputeAndCompareLiteral(XlaBuilder* builder, const Literal& expected,
                                                     Arguments arguments, ErrorSpec error,
                                                     const Shape* shape_with_layout) {
  Base::ComputeAndCompareLiteral(builder, expected, LiteralUtil::MakePointers(Values(arguments)),
                                 error, shape_with_layout);
}

void ClientLibraryTestBase::ComputeAndCompareTuple(XlaBuilder* builder, const Literal& expected,
                                                   Arguments arguments,
                                                   std::optional<ErrorSpec> error) {
  Base::ComputeAndCompareTuple(builder, expected, LiteralUtil::MakePointers(Values(arguments)),
                               error);
}

std::unique_ptr<GlobalData> ClientLibraryTestBase::CreateParameterAndTransferLiteral(
    int64_t parameter_number, const Literal& literal, const std::string& name, XlaBuilder* builder,
    XlaOp* data_handle) {
  const Literal argument = CreateParameter(parameter_number, literal, name, builder, data_handle);
  return client_->TransferToServer(argument).value();
}

XlaOp ClientLibraryTestBase::AddParam(const Literal& argument, XlaBuilder* builder) {
  const int64_t number = static_cast<int64_t>(added_arguments_.size());
  XlaOp parameter;
  added_arguments_.push_back(
      CreateParameter(number, argument, absl::StrCat("p", number), builder, &parameter));
  return parameter;
}

}  // namespace xla
