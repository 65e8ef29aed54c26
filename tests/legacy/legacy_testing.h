// What the tests of the 2017 interface share.
#ifndef HILO_TESTS_LEGACY_LEGACY_TESTING_H_
#define HILO_TESTS_LEGACY_LEGACY_TESTING_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla/client/client_library.h"
#include "xla/client/local_client.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/legacy/computation_builder.h"
#include "xla/literal.h"
#include "xla/shape_util.h"

namespace xla {

// The literal of a text like "f32[2] {1, 2}".
inline Literal ParsedLiteral(const std::string& text) {
  absl::StatusOr<Literal> literal = ParseLiteral(text);
  EXPECT_TRUE(literal.ok()) << text << ": " << literal.status();
  return literal.ok() ? *std::move(literal) : Literal();
}

inline Literal ResultOf(const Computation& computation,
                        const std::vector<std::string>& arguments = {}) {
  LocalClient* client = ClientLibrary::LocalClientOrDie();
  std::vector<std::unique_ptr<GlobalData>> data;
  std::vector<GlobalData*> pointers;
  for (const std::string& argument : arguments) {
    data.push_back(client->TransferToServer(ParsedLiteral(argument)).value());
    pointers.push_back(data.back().get());
  }
  absl::StatusOr<Literal> result = client->ExecuteAndTransfer(computation, pointers);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *std::move(result) : Literal();
}

inline void ExpectLiteral(const Literal& result, const std::string& expected) {
  const Literal wanted = ParsedLiteral(expected);
  EXPECT_TRUE(ShapeUtil::Compatible(result.shape(), wanted.shape()) && result == wanted)
      << "got      " << result.ToString() << "\nexpected " << wanted.ToString();
}

}  // namespace xla

#endif  // HILO_TESTS_LEGACY_LEGACY_TESTING_H_
