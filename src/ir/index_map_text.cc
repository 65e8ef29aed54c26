#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "ir/index_map.h"
#include "xla/util.h"

namespace xla {
namespace {

// ---- To text

std::string VariableText(int variable, int dimensions) {
  return variable < dimensions ? absl::StrCat("d", variable)
                               : absl::StrCat("s", variable - dimensions);
}

std::string ExprText(const IndexExpr& expr, int dimensions) {
  std::string text;
  const auto add = [&](int64_t sign, absl::string_view part) {
    const absl::string_view between = text.empty() ? (sign < 0 ? "-" : "")
                                      : sign < 0   ? " - "
                                                   : " + ";
    absl::StrAppend(&text, between, part);
  };
  for (const IndexExpr::Term& term : expr.terms()) {
    std::string part = VariableText(term.variable, dimensions);
    if (term.kind != IndexExpr::Kind::kVariable) {
      const bool is_atom = term.of->AsVariable() >= 0;
      part = absl::StrCat(is_atom ? "(" : "((", ExprText(*term.of, dimensions), is_atom ? "" : ")",
                          term.kind == IndexExpr::Kind::kQuotient ? " floordiv " : " mod ",
                          term.divisor, ")");
    }
    if (std::abs(term.factor) != 1) absl::StrAppend(&part, " * ", std::abs(term.factor));
    add(term.factor, part);
  }
  if (expr.constant() != 0 || text.empty())
    add(expr.constant(), absl::StrCat(std::abs(expr.constant())));
  return text;
}

// ---- From text

class Reader {
 public:
  explicit Reader(absl::string_view text) : rest_(text) {}

  absl::StatusOr<IndexMap> Read() {
    Want("(");
    while (status_.ok() && !Take(")")) {
      if (Take(";")) continue;
      const bool is_symbol = Take("s");
      if (!is_symbol) Want("d");
      const int64_t number = is_symbol ? Number() + map_.dimensions : Number();
      if (number != static_cast<int64_t>(map_.sizes.size())) Fail("the next variable");
      Want("in");
      map_.sizes.push_back(Number());
      if (!is_symbol) ++map_.dimensions;
      Take(",");
    }
    Want("-> (");
    while (status_.ok() && !Take(")")) {
      map_.results.push_back(Sum());
      Take(",");
    }
    if (Take("where")) {
      do {
        IndexMap::Guard guard = {Sum(), 0, 0};
        Want("in [");
        guard.begin = Number();
        Want(",");
        guard.end = Number();
        Want(")");
        map_.guards.push_back(std::move(guard));
      } while (Take(","));
    }
    if (!rest_.empty()) Fail("the end");
    if (!status_.ok()) return status_;
    return std::move(map_);
  }

 private:
  void Fail(absl::string_view wanted) {
    if (status_.ok()) status_ = InvalidArgument("%s is wanted in place of \"%s\"", wanted, rest_);
    rest_ = "";
  }
  bool Take(absl::string_view token) {
    if (!absl::ConsumePrefix(&rest_, token)) return false;
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return true;
  }
  void Want(absl::string_view token) {
    if (!Take(token)) Fail(absl::StrCat("\"", token, "\""));
  }
  int64_t Number() {
    const int64_t sign = Take("-") ? -1 : 1;
    size_t digits = 0;
    while (digits < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[digits])))
      ++digits;
    int64_t number = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, digits), &number)) Fail("a number");
    rest_.remove_prefix(std::min(digits, rest_.size()));
    rest_ = absl::StripLeadingAsciiWhitespace(rest_);
    return sign * number;
  }
  int64_t Divisor() {
    const int64_t divisor = Number();
    if (divisor < 1) Fail("a positive number");
    return std::max<int64_t>(divisor, 1);
  }

  IndexExpr Sum() {
    IndexExpr sum = Product(Take("-") ? -1 : 1);
    while (status_.ok()) {
      if (Take("+")) {
        sum = sum + Product(1);
      } else if (Take("-")) {
        sum = sum + Product(-1);
      } else {
        break;
      }
    }
    return sum;
  }
  IndexExpr Product(int64_t sign) {
    const IndexExpr atom = Atom();
    return atom * (Take("*") ? sign * Number() : sign);
  }
  IndexExpr Atom() {
    if (++depth_ > kMaxDepth) Fail("a simpler expression");
    IndexExpr expr;
    if (Take("(")) {
      expr = Sum();
      if (Take("floordiv")) {
        expr = expr.FloorDiv(Divisor());
      } else if (Take("mod")) {
        expr = expr.Mod(Divisor());
      }
      Want(")");
    } else if (const bool is_symbol = Take("s"); is_symbol || Take("d")) {
      const int64_t variable = Number() + (is_symbol ? map_.dimensions : 0);
      if (variable >= static_cast<int64_t>(map_.sizes.size())) Fail("a variable that there is");
      expr = IndexExpr::Variable(static_cast<int>(variable));
    } else {
      expr = IndexExpr::Constant(Number());
    }
    --depth_;
    return expr;
  }

  static constexpr int kMaxDepth = 100;
  absl::string_view rest_;
  absl::Status status_;
  IndexMap map_;
  int depth_ = 0;
};

}  // namespace

std::string IndexMap::ToString() const {
  std::string text = "(";
  for (int i = 0; i < static_cast<int>(sizes.size()); ++i) {
    absl::StrAppend(&text,
                    i == 0            ? ""
                    : i == dimensions ? "; "
                                      : ", ",
                    VariableText(i, dimensions), " in ", sizes[i]);
  }
  absl::StrAppend(&text, ") -> (",
                  absl::StrJoin(results, ", ",
                                [&](std::string* out, const IndexExpr& result) {
                                  absl::StrAppend(out, ExprText(result, dimensions));
                                }),
                  ")");
  for (size_t i = 0; i < guards.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " where " : ", ", ExprText(guards[i].expr, dimensions), " in [",
                    guards[i].begin, ", ", guards[i].end, ")");
  }
  return text;
}

absl::StatusOr<IndexMap> IndexMap::Parse(absl::string_view text) { return Reader(text).Read(); }

}  // namespace xla
