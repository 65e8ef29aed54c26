// Gives names that were not given before.
#ifndef HILO_IR_NAME_UNIQUER_H_
#define HILO_IR_NAME_UNIQUER_H_

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace xla {

class NameUniquer {
 public:
  // `name` if it is new, else the name with another number: "add", "add.1", "add.2". Each takes
  // constant time, however often a name comes.
  std::string GetUniqueName(absl::string_view name);

 private:
  // All below `next`, and these beyond it.
  struct Numbers {
    int64_t next = 0;
    absl::flat_hash_set<int64_t> beyond;
  };

  // The numbers that were given to a name without its number; 0 stands for none.
  absl::flat_hash_map<std::string, Numbers> numbers_;
};

}  // namespace xla

#endif  // HILO_IR_NAME_UNIQUER_H_
