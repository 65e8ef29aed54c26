// Decisions of passes with their reasons, in words for people who ask why.
#ifndef HILO_PASSES_DECISION_H_
#define HILO_PASSES_DECISION_H_

#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/strings/substitute.h"
#include "xla/hlo/ir/hlo_instruction.h"

namespace xla::passes {

// Yes, or no and why. Making one costs next to nothing: the words are put together when somebody
// asks for them.
class Decision {
 public:
  static Decision Yes() { return Decision(nullptr, 0, ""); }
  // `why` is a literal in which $0 stands for the number and $1 for the name, which must be one as
  // well.
  static Decision No(const char* why, double number = 0, absl::string_view name = "") {
    return Decision(why, number, name);
  }

  explicit operator bool() const { return why_ == nullptr; }
  // Why not.
  std::string Why() const { return why_ == nullptr ? "" : absl::Substitute(why_, number_, name_); }

 private:
  Decision(const char* why, double number, absl::string_view name)
      : why_(why), number_(number), name_(name) {}

  const char* why_;
  double number_;
  absl::string_view name_;
};

// What was decided against, as long as the module is not changed any more.
class Decisions {
 public:
  // About an instruction and another, such as one that reads it, or about one alone; the first
  // about both is kept.
  void Add(const HloInstruction& subject, const HloInstruction& other, const Decision& decision) {
    refusals_.try_emplace({&subject, &other}, decision);
  }
  // Null where nothing was decided about these two.
  const Decision* Find(const HloInstruction& subject, const HloInstruction& other) const {
    const auto found = refusals_.find({&subject, &other});
    return found == refusals_.end() ? nullptr : &found->second;
  }

 private:
  absl::flat_hash_map<std::pair<const HloInstruction*, const HloInstruction*>, Decision> refusals_;
};

}  // namespace xla::passes

#endif  // HILO_PASSES_DECISION_H_
