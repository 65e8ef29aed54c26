#include <cstdio>

#include "xla/util.h"
#include "xla/xla_data.pb.h"

int main() {
  const absl::Status status =
      xla::InvalidArgument("no element type is called %s", xla::PrimitiveType_Name(xla::F32));
  std::printf("%s\n", status.ToString().c_str());
  return status.code() == absl::StatusCode::kInvalidArgument ? 0 : 1;
}
