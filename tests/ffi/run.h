// Runs modules on both back ends.
#ifndef HILO_TESTS_FFI_RUN_H_
#define HILO_TESTS_FFI_RUN_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/backend.h"
#include "base/status_macros.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/literal.h"
#include "xla/literal_util.h"

namespace xla {

inline absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(const std::string& backend,
                                                               const std::string& text) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, ParseAndReturnUnverifiedModule(text));
  HILO_ASSIGN_OR_RETURN(ExecutionBackend * found, FindBackend(backend));
  return found->Compile(std::move(module));
}

// Compiles and runs.
inline absl::StatusOr<Literal> RunOn(const std::string& backend, const std::string& text,
                                     const std::vector<Literal>& arguments = {},
                                     const RunContext& context = {}) {
  HILO_ASSIGN_OR_RETURN(std::unique_ptr<CompiledModule> module, Compile(backend, text));
  std::vector<const Literal*> pointers;
  for (const Literal& argument : arguments) pointers.push_back(&argument);
  return module->Run(pointers, context);
}

// A list of values, which cannot be copied.
template <typename... L>
std::vector<Literal> Literals(L... literals) {
  std::vector<Literal> list;
  (list.push_back(std::move(literals)), ...);
  return list;
}

// A module whose root is one typed custom call of the parameters.
inline std::string Module(const std::string& result, const std::vector<std::string>& operands,
                          const std::string& target, const std::string& attributes = "",
                          const std::string& more = "") {
  std::string text = "HloModule m\nENTRY e {\n", names;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string name = "p" + std::to_string(i);
    text += "  " + name + " = " + operands[i] + " parameter(" + std::to_string(i) + ")\n";
    names += (i == 0 ? "" : ", ") + name;
  }
  text += "  ROOT call = " + result + " custom-call(" + names + "), custom_call_target=\"" +
          target + "\", api_version=API_VERSION_TYPED_FFI" + more;
  if (!attributes.empty()) text += ", backend_config=" + attributes;
  return text + "\n}\n";
}

class BackEndTest : public ::testing::TestWithParam<std::string> {};

}  // namespace xla

#define HILO_ON_BOTH_BACK_ENDS(Fixture)                                            \
  INSTANTIATE_TEST_SUITE_P(BackEnds, Fixture, ::testing::ValuesIn(BackendNames()), \
                           [](const auto& info) { return info.param; })

#endif  // HILO_TESTS_FFI_RUN_H_
