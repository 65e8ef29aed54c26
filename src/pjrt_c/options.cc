#include "pjrt_c/options.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "api/cpu_backend.h"
#include "base/status_macros.h"
#include "base/text_error.h"
#include "pjrt_c/error.h"
#include "runtime/parallel.h"
#include "xla/debug_options_flags.h"
#include "xla/util.h"

namespace xla::pjrt_c {
namespace {

// An option as somebody gave it.
struct Given {
  absl::string_view name;
  std::variant<int64_t, bool, absl::string_view> value;

  std::string ValueText() const {
    if (const auto* text = std::get_if<absl::string_view>(&value)) return Printable(*text);
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    return absl::StrCat(std::get<int64_t>(value));
  }
};

absl::StatusOr<int> NumberOf(const Given& given, int least) {
  int64_t number = -1;
  if (const auto* whole = std::get_if<int64_t>(&given.value)) number = *whole;
  if (const auto* text = std::get_if<absl::string_view>(&given.value)) {
    if (!absl::SimpleAtoi(*text, &number)) number = -1;
  }
  if (number < least || number > std::numeric_limits<int>::max()) {
    return InvalidArgument("option %s is %s, but must be a number of at least %d", given.name,
                           given.ValueText(), least);
  }
  return static_cast<int>(number);
}

absl::StatusOr<bool> TruthOf(const Given& given) {
  if (const auto* truth = std::get_if<bool>(&given.value)) return *truth;
  if (const auto* number = std::get_if<int64_t>(&given.value)) return *number != 0;
  bool truth = false;
  if (absl::SimpleAtob(std::get<absl::string_view>(given.value), &truth)) return truth;
  return InvalidArgument("option %s is %s, but must be true or false", given.name,
                         given.ValueText());
}

absl::StatusOr<std::string> TextOf(const Given& given) {
  if (const auto* text = std::get_if<absl::string_view>(&given.value)) return std::string(*text);
  return InvalidArgument("option %s is %s, but must be a text", given.name, given.ValueText());
}

absl::Status SetPlatformName(const Given& given, CreateOptions& options) {
  HILO_ASSIGN_OR_RETURN(options.platform_name, TextOf(given));
  if (!options.platform_name.empty()) return absl::OkStatus();
  return InvalidArgument("option platform_name is empty");
}

absl::Status SetLog(const Given& given, CreateOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::string text, TextOf(given));
  for (const absl::string_view topic : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    if (absl::StripAsciiWhitespace(topic) != "compile")
      return InvalidArgument("option log: there is no \"%s\" to be logged, but compile",
                             Printable(topic));
    options.insight.logs_compiles = true;
  }
  return absl::OkStatus();
}

template <typename T, typename Target>
absl::Status Assign(absl::StatusOr<T> value, Target& target) {
  HILO_ASSIGN_OR_RETURN(target, std::move(value));
  return absl::OkStatus();
}

struct OptionInfo {
  absl::string_view name;
  absl::string_view help;
  absl::Status (*set)(const Given& given, CreateOptions& options);
};

// docs/jax.md has the same table.
constexpr OptionInfo kOptions[] = {
    {"cpu_device_count", "devices of this process",
     [](const Given& given, CreateOptions& options) {
       return Assign(NumberOf(given, 1), options.device_count);
     }},
    {"threads", "threads that compute, in the whole process",
     [](const Given& given, CreateOptions& options) {
       return Assign(NumberOf(given, 1), options.threads);
     }},
    {"cache_dir", "a folder where the process keeps compiled programs for later ones",
     [](const Given& given, CreateOptions& options) {
       return Assign(TextOf(given), options.cache_dir);
     }},
    {"dump_to", "a folder for each program: StableHLO, HLO after each pass, LLVM IR, plan",
     [](const Given& given, CreateOptions& options) {
       return Assign(TextOf(given), options.insight.dump_to);
     }},
    {"log", "what is logged on stderr: compile, a line per compile", SetLog},
    {"asynchronous", "whether calls return before their results are there",
     [](const Given& given, CreateOptions& options) {
       return Assign(TruthOf(given), options.asynchronous);
     }},
    {"platform_name", "the name of the platform that clients see", SetPlatformName},
    {"node_id", "the number of this process",
     [](const Given& given, CreateOptions& options) {
       return Assign(NumberOf(given, 0), options.process);
     }},
    {"num_nodes", "how many processes there are",
     [](const Given& given, CreateOptions& options) {
       return Assign(NumberOf(given, 0), options.process_count);
     }},
};

absl::Status Set(const Given& given, CreateOptions& options) {
  for (const OptionInfo& option : kOptions) {
    if (option.name == given.name) return option.set(given, options);
  }
  std::string known;
  for (const OptionInfo& option : kOptions)
    absl::StrAppendFormat(&known, "\n  %-16s  %s", option.name, option.help);
  return InvalidArgument("there is no option %s; there are%s", Printable(given.name), known);
}

absl::Status ReadNamedValue(const PJRT_NamedValue& option, CreateOptions& options) {
  Given given = {ToView(option.name, option.name_size), int64_t{0}};
  switch (option.type) {
    case PJRT_NamedValue_kInt64:
      given.value = option.int64_value;
      break;
    case PJRT_NamedValue_kBool:
      given.value = option.bool_value;
      break;
    case PJRT_NamedValue_kString:
      given.value = ToView(option.string_value, option.value_size);
      break;
    default:
      return InvalidArgument("option %s is neither a number nor a text nor true or false",
                             Printable(given.name));
  }
  return Set(given, options);
}

// Words like name=value; dashes in front of them are taken, too.
absl::Status ReadFlags(absl::string_view flags, CreateOptions& options) {
  for (absl::string_view word :
       absl::StrSplit(flags, absl::ByAnyChar(" \t\n"), absl::SkipEmpty())) {
    while (absl::ConsumePrefix(&word, "-")) continue;
    const size_t equals = word.find('=');
    if (equals == absl::string_view::npos) {
      return InvalidArgument("%s has no value; it should look like name=value", Printable(word));
    }
    HILO_RETURN_IF_ERROR(Set({word.substr(0, equals), word.substr(equals + 1)}, options));
  }
  return absl::OkStatus();
}

absl::Status Named(absl::string_view variable, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(variable, ": ", status.message()));
}

absl::Status ReadEnvironment(CreateOptions& options) {
  if (const char* const topics = std::getenv("HILO_LOG"); topics != nullptr && *topics != 0)
    HILO_RETURN_IF_ERROR(Named("HILO_LOG", SetLog({"log", absl::string_view(topics)}, options)));
  if (const char* const flags = std::getenv("HILO_FLAGS"))
    HILO_RETURN_IF_ERROR(Named("HILO_FLAGS", ReadFlags(flags, options)));
  return absl::OkStatus();
}

// What frameworks and XLA's own flags say of it.
absl::StatusOr<int> DeviceCountOfOthers() {
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
  HILO_RETURN_IF_ERROR(ReadEnvironment(read));
  if (read.process_count > 1) {
    return InvalidArgument(
        "HILO_FLAGS: num_nodes is %d, but only a caller can say so, who has a "
        "key-value store for the processes",
        read.process_count);
  }
  for (size_t i = 0; i < num_options; ++i) HILO_RETURN_IF_ERROR(ReadNamedValue(options[i], read));
  if (read.process_count > 1 && !read.process.has_value()) {
    return InvalidArgument("num_nodes is %d, but no node_id says which of them this process is",
                           read.process_count);
  }
  if (read.device_count == 0) {
    HILO_ASSIGN_OR_RETURN(read.device_count, DeviceCountOfOthers());
  }
  return read;
}

void ApplyToProcess(const CreateOptions& options) {
  if (options.threads.has_value()) runtime::SetThreadCount(*options.threads);
  if (options.cache_dir.has_value()) SetCacheDirectory(*options.cache_dir);
}

}  // namespace xla::pjrt_c
