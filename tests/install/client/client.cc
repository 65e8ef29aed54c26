// What a client of an installed Hilo does first: build a program, compile it, run it.
#include <cstdio>

#include "xla/client/client_library.h"
#include "xla/hlo/builder/xla_builder.h"
#include "xla/literal_util.h"
#include "xla/shape_util.h"

int main() {
  xla::XlaBuilder builder("doubled");
  const xla::Shape shape = xla::ShapeUtil::MakeShape(xla::F32, {2});
  const xla::XlaOp x = xla::Parameter(&builder, 0, shape, "x");
  xla::Add(x, x);
  const absl::StatusOr<xla::XlaComputation> computation = builder.Build();
  if (!computation.ok()) return 1;

  xla::LocalClient* client = xla::ClientLibrary::LocalClientOrDie();
  auto executables = client->Compile(*computation, {&shape}, {});
  if (!executables.ok()) return 1;
  const xla::Literal argument = xla::LiteralUtil::CreateR1<float>({1.5f, -2});
  const absl::StatusOr<xla::Literal> result = (*executables)[0]->Run({&argument});
  if (!result.ok()) return 1;
  std::printf("%s\n", result->ToString().c_str());
  return result->Get<float>({0}) == 3 && result->Get<float>({1}) == -4 ? 0 : 1;
}
