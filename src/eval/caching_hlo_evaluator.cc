#include "xla/hlo/evaluator/caching_hlo_evaluator.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "xla/hlo/ir/hlo_print_options.h"
#include "xla/tsl/platform/env.h"
#include "xla/tsl/platform/fingerprint.h"
#include "xla/tsl/platform/path.h"
#include "xla/util.h"

namespace xla {
namespace {

// A hash of the computation's text, of all it calls and of the arguments.
absl::StatusOr<std::string> KeyOf(const HloComputation& computation,
                                  absl::Span<const Literal* const> args) {
  const HloPrintOptions options =
      HloPrintOptions().set_print_metadata(false).set_print_large_constants(true);
  std::string text = computation.ToString(options);
  for (const HloComputation* callee : computation.MakeEmbeddedComputationsList())
    absl::StrAppend(&text, "\n", callee->ToString(options));
  for (const Literal* arg : args) {
    HILO_ASSIGN_OR_RETURN(const std::string bytes, arg->SerializeAsString());
    absl::StrAppend(&text, "\n", bytes.size(), "\n", bytes);
  }
  const tsl::Fprint128 print = tsl::Fingerprint128(text);
  return absl::StrCat(absl::Hex(print.high64, absl::kZeroPad16),
                      absl::Hex(print.low64, absl::kZeroPad16));
}

absl::StatusOr<Literal> ReadLiteral(const std::string& path) {
  std::string bytes;
  HILO_RETURN_IF_ERROR(tsl::ReadFileToString(tsl::Env::Default(), path, &bytes));
  absl::StatusOr<Literal> literal = Literal::DeserializeFromString(bytes);
  if (!literal.ok())
    return absl::DataLossError(absl::StrCat(path, ": ", literal.status().message()));
  return literal;
}

// Readers see all of it or nothing.
absl::Status WriteLiteral(const Literal& literal, const std::string& folder,
                          const std::string& path) {
  tsl::Env& env = *tsl::Env::Default();
  HILO_ASSIGN_OR_RETURN(const std::string bytes, literal.SerializeAsString());
  HILO_RETURN_IF_ERROR(env.RecursivelyCreateDir(folder));
  std::string unfinished = path;
  if (!env.CreateUniqueFileName(&unfinished, ".unfinished"))
    return absl::UnavailableError(absl::StrCat("no file can be made in ", folder));
  HILO_RETURN_IF_ERROR(tsl::WriteStringToFile(&env, unfinished, bytes));
  return env.RenameFile(unfinished, path);
}

}  // namespace

absl::StatusOr<Literal> CachingHloEvaluator::Evaluate(const HloComputation& computation,
                                                      absl::Span<const Literal* const> args) {
  HILO_ASSIGN_OR_RETURN(const std::string key, KeyOf(computation, args));
  const std::string path = tsl::io::JoinPath(cache_dir_, key);
  if (mode_ != kWrite) {
    absl::StatusOr<Literal> kept = ReadLiteral(path);
    if (mode_ == kRead || !absl::IsNotFound(kept.status())) return kept;
  }
  HILO_ASSIGN_OR_RETURN(Literal result, wrapped_->Evaluate(computation, args));
  if (mode_ == kWrite) HILO_RETURN_IF_ERROR(WriteLiteral(result, cache_dir_, path));
  return result;
}

}  // namespace xla
