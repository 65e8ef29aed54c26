// The machine that a program is compiled for: what its code may use and what pays there. A value
// that is passed down from the compile's options to whoever decides by it; nothing asks for the
// machine that happens to run the compiler.
#ifndef HILO_CODEGEN_TARGET_H_
#define HILO_CODEGEN_TARGET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "xla/xla.pb.h"

namespace xla::codegen {

// Whose functions the library kernels call.
enum class InstructionSet {
  kGeneric,       // vectors of 16 bytes, as every machine has
  kAvx2,          // with FMA and F16C
  kAvx512,        // F, BW, DQ and VL
  kAvx512Narrow,  // with VNNI and BF16, for products of narrow numbers
  kAmx,           // and tile registers, for larger ones
  kNeon,          // vectors of 16 bytes, and more registers
};

struct Target {
  // The machine that this process runs on, with all that its processor and its operating system
  // allow.
  static const Target& Host();
  // "host", or a machine with no more than "x86-64-v2", "x86-64-v3", "x86-64-v4" or "aarch64" says.
  // InvalidArgument, with these names, for another name.
  static absl::StatusOr<Target> Parse(absl::string_view name);
  static const std::vector<std::string>& Names();
  // What the options of a module ask for: the entry kTargetOption of xla_backend_extra_options, or
  // the host with no more than xla_cpu_max_isa names. The errors are those of Parse.
  static absl::StatusOr<Target> Of(const DebugOptions& options);
  // A machine of a triple with these features: all else follows from them.
  static Target Make(std::string name, std::string triple, std::vector<std::string> features);

  bool Has(absl::string_view feature) const;
  // FailedPrecondition, with the features that `machine` lacks, where it cannot run programs for
  // this target.
  absl::Status CheckRunsOn(const Target& machine) const;

  bool operator==(const Target&) const = default;

  std::string name;
  std::string triple;                 // empty for machines that nobody generates code for
  std::string cpu;                    // the processor of LLVM that has none but `features`
  std::string tuning_cpu;             // whose times to assume: `cpu`, or "native" for the host
  std::vector<std::string> features;  // as LLVM calls them, sorted

  int vector_bits = 128;  // of the widest registers
  int vector_registers = 16;
  bool has_mask_registers = false;
  bool has_fast_gather = false;  // one instruction loads from many places sooner than many do
  bool has_fma = false;
  bool has_scale = false;  // one instruction multiplies by powers of two
  int64_t l1_bytes = 32 * 1024, l2_bytes = 512 * 1024;  // of one core, at least
  // What has left the last cache once so much more was read and written.
  int64_t last_level_bytes = 40 * 1024 * 1024;
  // How much of a row kernels keep on the stack to read it again.
  int64_t row_scratch_bytes = l2_bytes / 4;
  InstructionSet instruction_set = InstructionSet::kGeneric;
};

inline constexpr char kTargetOption[] = "hilo_target";

// Whether programs of a module compute with subnormal numbers: where the entry kSubnormalsOption of
// xla_backend_extra_options is "kept". Where it is "flushed", as for modules that have none, they
// are zeros of their sign, which processors are much faster with. InvalidArgument for other values.
inline constexpr char kSubnormalsOption[] = "hilo_subnormals";
absl::StatusOr<bool> KeepsSubnormals(const DebugOptions& options);

}  // namespace xla::codegen

#endif  // HILO_CODEGEN_TARGET_H_
