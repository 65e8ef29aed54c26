#include "pjrt_c/options.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/status_macros.h"
#include "pjrt_c/error.h"
#include "xla/debug_options_flags.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

absl::string_view TextOf(const PJRT_NamedValue& option) {
  return ToView(option.string_value, option.value_size);
}

absl::StatusOr<int> NumberOf(const PJRT_NamedValue& option) {
  int64_t number = 0;
  const bool is_number =
      option.type == PJRT_NamedValue_kInt64
          ? (number = option.int64_value, true)
          : option.type == PJRT_NamedValue_kString && absl::SimpleAtoi(TextOf(option), &number);
  if (!is_number || number < 0 || number > std::numeric_limits<int>::max()) {
    return InvalidArgument("create option %s is no number", ToView(option.name, option.name_size));
  }
  return static_cast<int>(number);
}

absl::StatusOr<bool> TruthOf(const PJRT_NamedValue& option) {
  if (option.type == PJRT_NamedValue_kBool) return option.bool_value;
  if (option.type == PJRT_NamedValue_kInt64) return option.int64_value != 0;
  bool truth = false;
  if (option.type == PJRT_NamedValue_kString && absl::SimpleAtob(TextOf(option), &truth))
    return truth;
  return InvalidArgument("create option %s is neither true nor false",
                         ToView(option.name, option.name_size));
}

absl::StatusOr<int> DeviceCountOfEnvironment() {
  const char* const text = std::getenv("JAX_NUM_CPU_DEVICES");
  int count = 0;
  if (text != nullptr && absl::SimpleAtoi(text, &count) && count > 0) return count;
  HILO_ASSIGN_OR_RETURN(const DebugOptions flags, TryGetDebugOptionsFromFlags());
  return std::max(1, flags.xla_force_host_platform_device_count());
}

}  // namespace

absl::StatusOr<CreateOptions> ReadCreateOptions(const PJRT_NamedValue* options,
                                                size_t num_options) {
  CreateOptions read;
  std::optional<int> device_count, process_count;
  for (size_t i = 0; i < num_options; ++i) {
    const PJRT_NamedValue& option = options[i];
    const absl::string_view name = ToView(option.name, option.name_size);
    if (name == "cpu_device_count") {
      HILO_ASSIGN_OR_RETURN(device_count, NumberOf(option));
    } else if (name == "node_id") {
      HILO_ASSIGN_OR_RETURN(read.process, NumberOf(option));
    } else if (name == "num_nodes") {
      HILO_ASSIGN_OR_RETURN(process_count, NumberOf(option));
    } else if (name == "asynchronous") {
      HILO_ASSIGN_OR_RETURN(read.asynchronous, TruthOf(option));
    } else if (name == "platform_name") {
      if (option.type != PJRT_NamedValue_kString || option.value_size == 0)
        return InvalidArgument("create option platform_name is no text");
      read.platform_name = std::string(TextOf(option));
    }
  }
  if (process_count.value_or(1) > 1) {
    return Unimplemented("programs of several processes are not supported (num_nodes is %d)",
                         *process_count);
  }
  if (!device_count.has_value()) {
    HILO_ASSIGN_OR_RETURN(device_count, DeviceCountOfEnvironment());
  }
  read.device_count = *device_count;
  return read;
}

}  // namespace xla::pjrt_c
