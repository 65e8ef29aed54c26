#include "xla/hlo/testlib/filecheck.h"

#include <map>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "xla/util.h"

namespace xla {
namespace {

enum class Kind { kAnywhere, kNext, kSame, kNot, kUnordered, kEmpty };

struct Directive {
  Kind kind;
  std::string text;  // behind the colon
};

using Variables = std::map<std::string, std::string>;

// A regular expression and the names of some of its groups.
struct Expression {
  std::regex regex;
  std::vector<std::pair<std::string, int>> groups;
};

// ---- Reading patterns -------------------------------------------------------------------------

// The directives that one line of a pattern stands for: none, or a repeated one.
absl::StatusOr<std::vector<Directive>> ReadDirective(absl::string_view line) {
  const size_t begin = line.find("CHECK");
  const size_t colon = begin == absl::string_view::npos ? begin : line.find(':', begin);
  if (colon == absl::string_view::npos) return std::vector<Directive>();
  absl::string_view suffix = line.substr(begin + 5, colon - begin - 5);
  const std::string text(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  int count = 1;
  Kind kind = Kind::kAnywhere;
  if (suffix == "-NEXT") {
    kind = Kind::kNext;
  } else if (suffix == "-SAME") {
    kind = Kind::kSame;
  } else if (suffix == "-NOT") {
    kind = Kind::kNot;
  } else if (suffix == "-DAG") {
    kind = Kind::kUnordered;
  } else if (suffix == "-EMPTY") {
    kind = Kind::kEmpty;
  } else if (absl::ConsumePrefix(&suffix, "-COUNT-")) {
    if (!absl::SimpleAtoi(suffix, &count) || count < 1 || count > 100000) {
      return InvalidArgument("not a count: %s", line);
    }
  } else if (!suffix.empty() && suffix != "-LABEL") {
    return std::vector<Directive>();
  }
  if (text.empty() != (kind == Kind::kEmpty)) {
    return InvalidArgument("a directive %s: %s", text.empty() ? "without text" : "with text", line);
  }
  return std::vector<Directive>(count, Directive{kind, text});
}

absl::StatusOr<std::vector<Directive>> ReadDirectives(absl::string_view pattern) {
  std::vector<Directive> directives;
  for (const absl::string_view line : absl::StrSplit(pattern, '\n')) {
    HILO_ASSIGN_OR_RETURN(const std::vector<Directive> read, ReadDirective(line));
    directives.insert(directives.end(), read.begin(), read.end());
  }
  if (directives.empty()) return InvalidArgument("the pattern has no CHECK line");
  return directives;
}

// Makes a directive's text a regular expression.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const Variables& variables) : variables_(variables) {}

  absl::StatusOr<Expression> Build(absl::string_view text) {
    while (!text.empty()) {
      if (absl::StartsWith(text, "{{")) {
        HILO_ASSIGN_OR_RETURN(const absl::string_view inner, TakeUntil("}}", text));
        AddRegex(inner);
      } else if (absl::StartsWith(text, "[[")) {
        HILO_ASSIGN_OR_RETURN(const absl::string_view inner, TakeUntil("]]", text));
        HILO_RETURN_IF_ERROR(AddVariable(inner));
      } else {
        AddCharacter(text);
      }
    }
    try {
      return Expression{std::regex(source_), std::move(groups_)};
    } catch (const std::regex_error& error) {
      return InvalidArgument("%s is no regular expression: %s", source_, error.what());
    }
  }

 private:
  static absl::StatusOr<absl::string_view> TakeUntil(absl::string_view end,
                                                     absl::string_view& text) {
    const size_t found = text.find(end, 2);
    if (found == absl::string_view::npos) return InvalidArgument("no %s behind %s", end, text);
    const absl::string_view inner = text.substr(2, found - 2);
    text.remove_prefix(found + 2);
    return inner;
  }

  void AddRegex(absl::string_view regex) {
    absl::StrAppend(&source_, "(?:", regex, ")");
    for (size_t i = 0; i < regex.size(); ++i) {
      if (regex[i] == '\\') {
        ++i;
      } else if (regex[i] == '(' && regex.substr(i + 1, 1) != "?") {
        ++group_count_;
      }
    }
  }

  void AddLiteral(absl::string_view text) {
    for (const char c : text) {
      if (!absl::ascii_isalnum(c) && c != '_' && c != ' ') source_ += '\\';
      source_ += c;
    }
  }

  absl::Status AddVariable(absl::string_view inner) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(inner, absl::MaxSplits(':', 1));
    const std::string name(parts.first);
    if (inner.find(':') != absl::string_view::npos) {
      source_ += '(';
      groups_.emplace_back(name, ++group_count_);
      AddRegex(parts.second);
      source_ += ')';
      return absl::OkStatus();
    }
    for (const auto& [group, number] : groups_) {
      if (group == name) {
        absl::StrAppend(&source_, "(?:\\", number, ")");
        return absl::OkStatus();
      }
    }
    const auto known = variables_.find(name);
    if (known == variables_.end()) return InvalidArgument("[[%s]] has no value yet", name);
    AddLiteral(known->second);
    return absl::OkStatus();
  }

  void AddCharacter(absl::string_view& text) {
    if (!absl::ascii_isspace(text[0])) {
      AddLiteral(text.substr(0, 1));
      text.remove_prefix(1);
      return;
    }
    source_ += "[ \\t]+";
    text = absl::StripLeadingAsciiWhitespace(text);
  }

  const Variables& variables_;
  std::string source_;
  std::vector<std::pair<std::string, int>> groups_;
  int group_count_ = 0;
};

// ---- Matching ---------------------------------------------------------------------------------

struct Position {
  size_t line = 0;
  size_t column = 0;
};

bool operator<(const Position& a, const Position& b) {
  return std::make_pair(a.line, a.column) < std::make_pair(b.line, b.column);
}

struct Match {
  Position begin;
  Position end;
};

class Checker {
 public:
  explicit Checker(const std::string& input) : lines_(absl::StrSplit(input, '\n')) {}

  absl::Status Check(const std::vector<Directive>& directives) {
    for (const Directive& directive : directives) {
      if (directive.kind == Kind::kNot) {
        EndUnordered();
        forbidden_.push_back(directive.text);
        continue;
      }
      if (directive.kind != Kind::kUnordered) EndUnordered();
      HILO_ASSIGN_OR_RETURN(const Match match, Place(directive));
      if (directive.kind == Kind::kUnordered) {
        unordered_.push_back(match);
        continue;
      }
      HILO_RETURN_IF_ERROR(CheckForbidden(match.begin));
      position_ = match.end;
    }
    EndUnordered();
    return CheckForbidden({lines_.size(), 0});
  }

 private:
  absl::StatusOr<Match> Place(const Directive& directive) {
    const size_t next = position_.line + 1;
    std::optional<Match> match;
    if (directive.kind == Kind::kEmpty) {
      if (next < lines_.size() && lines_[next].empty()) match = Match{{next, 0}, {next, 0}};
    } else if (directive.kind == Kind::kNext) {
      HILO_ASSIGN_OR_RETURN(match, Find(directive.text, {next, 0}, {next + 1, 0}));
    } else if (directive.kind == Kind::kSame) {
      HILO_ASSIGN_OR_RETURN(match, Find(directive.text, position_, {next, 0}));
    } else {
      HILO_ASSIGN_OR_RETURN(match, Find(directive.text, position_, {lines_.size(), 0}));
    }
    if (match.has_value()) return *match;
    return NotFound("after line %d the text does not have: %s", position_.line + 1, directive.text);
  }

  // The first match between two positions that overlaps none of an unfinished CHECK-DAG group.
  // Stores the values of its variables.
  absl::StatusOr<std::optional<Match>> Find(absl::string_view text, Position begin, Position end) {
    HILO_ASSIGN_OR_RETURN(const Expression expression, ExpressionBuilder(variables_).Build(text));
    for (size_t i = begin.line; i < lines_.size() && Position{i, 0} < end; ++i) {
      const std::string& line = lines_[i];
      auto from = line.begin() + (i == begin.line ? begin.column : 0);
      std::smatch found;
      while (std::regex_search(from, line.end(), found, expression.regex)) {
        const size_t column = found[0].first - line.begin();
        const Match match = {{i, column}, {i, column + found.length()}};
        if (!(match.begin < end)) break;
        if (!IsTaken(match)) {
          for (const auto& [name, group] : expression.groups) variables_[name] = found[group];
          return std::optional<Match>(match);
        }
        if (found[0].first == line.end()) break;
        from = found[0].first + 1;
      }
    }
    return std::optional<Match>();
  }

  bool IsTaken(const Match& match) const {
    for (const Match& other : unordered_) {
      if (match.begin < other.end && other.begin < match.end) return true;
    }
    return false;
  }

  void EndUnordered() {
    for (const Match& match : unordered_) {
      if (position_ < match.end) position_ = match.end;
    }
    unordered_.clear();
  }

  absl::Status CheckForbidden(Position end) {
    for (const std::string& text : std::exchange(forbidden_, {})) {
      HILO_ASSIGN_OR_RETURN(const std::optional<Match> match, Find(text, position_, end));
      if (match.has_value()) {
        return NotFound("line %d has what must not be there: %s", match->begin.line + 1, text);
      }
    }
    return absl::OkStatus();
  }

  const std::vector<std::string> lines_;
  Position position_;
  Variables variables_;
  std::vector<Match> unordered_;
  std::vector<std::string> forbidden_;
};

}  // namespace

absl::Status CheckFile(const std::string& input, absl::string_view pattern) {
  HILO_ASSIGN_OR_RETURN(const std::vector<Directive> directives, ReadDirectives(pattern));
  return Checker(input).Check(directives);
}

absl::StatusOr<bool> RunFileCheck(const std::string& input, absl::string_view pattern) {
  const absl::Status status = CheckFile(input, pattern);
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  return status.ok();
}

}  // namespace xla
