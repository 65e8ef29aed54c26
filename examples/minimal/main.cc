// The smallest whole program: builds x * x + y, compiles it, runs it, prints the result.
#include <iostream>

#include "absl/status/status.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"
#include "xla/tsl/platform/errors.h"
#include "xla/tsl/platform/statusor.h"

absl::Status Run() {
  xla::XlaBuilder builder("x_squared_plus_y");
  const xla::Shape vector = xla::ShapeUtil::MakeShape(xla::F32, {3});
  const xla::XlaOp x = xla::Parameter(&builder, 0, vector, "x");
  const xla::XlaOp y = xla::Parameter(&builder, 1, vector, "y");
  xla::Add(xla::Mul(x, x), y);
  TF_ASSIGN_OR_RETURN(const xla::XlaComputation computation, builder.Build());

  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  TF_ASSIGN_OR_RETURN(const auto executables, client->Compile(computation, {&vector, &vector}, {}));
  const xla::Literal a = xla::LiteralUtil::CreateR1<float>({1, 2, 3});
  const xla::Literal b = xla::LiteralUtil::CreateR1<float>({10, 20, 30});
  TF_ASSIGN_OR_RETURN(const xla::Literal result, executables[0]->Run({&a, &b}));
  std::cout << result.ToString() << "\n";  // f32[3] {11, 24, 39}
  return absl::OkStatus();
}

int main() {
  const absl::Status status = Run();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
