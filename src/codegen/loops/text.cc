#include <cstddef>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "codegen/loops/kernel.h"
#include "codegen/loops/reads.h"
#include "ir/index_map.h"
#include "xla/util.h"

namespace xla::loops {
namespace {

constexpr absl::string_view kReads = " reads ";

// ---- To text

std::string Names(const Values& values) {
  return absl::StrJoin(values, ", ", [](std::string* text, const HloInstruction* value) {
    absl::StrAppend(text, value->name());
  });
}

std::string Range(const Node& node) { return absl::StrCat("[", node.begin, ", ", node.end, ")"); }

std::string Clipped(const Node& node) { return node.is_clipped ? " clipped" : ""; }

std::string Lanes(const Node& node) {
  std::string text;
  if (node.lanes > 0) absl::StrAppend(&text, " lanes ", node.lanes);
  if (node.tail_lanes > 0) absl::StrAppend(&text, " tail ", node.tail_lanes);
  if (node.folds_tail) absl::StrAppend(&text, " tail folded");
  if (node.interleave > 0) absl::StrAppend(&text, " interleave ", node.interleave);
  if (!node.stores.empty()) absl::StrAppend(&text, " stores ", Names(node.stores));
  if (!node.loads.empty()) absl::StrAppend(&text, " loads ", Names(node.loads));
  return text;
}

std::string GridText(const Kernel& kernel, const Node& grid) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < grid.dimensions.size(); ++i) {
    const int d = grid.dimensions[i];
    parts.push_back(absl::StrCat("d", d, " in ", kernel.sizes[d]));
    if (grid.steps[i] != 1) absl::StrAppend(&parts.back(), " by ", grid.steps[i]);
  }
  if (grid.strip > 0) parts.push_back(absl::StrCat("strips of ", grid.strip));
  return absl::StrCat("grid", grid.is_range ? " range" : "", parts.empty() ? "" : " ",
                      absl::StrJoin(parts, ", "));
}

// Behind the name of a product.
std::string BlocksText(const Kernel& kernel, const Node& node) {
  std::vector<std::string> parts;
  for (int d : node.dimensions) parts.push_back(absl::StrCat("d", d, " in ", kernel.sizes[d]));
  parts.push_back(absl::StrCat("d", kernel.sizes.size() - 1, " in ", kernel.sizes.back()));
  if (const std::optional<IndexMap> side = OperandMap(*node.values[0], 0)) {
    for (size_t i = side->dimensions; i < side->sizes.size(); ++i)
      parts.push_back(absl::StrCat("s", i - side->dimensions, " in ", side->sizes[i]));
  }
  return absl::StrJoin(parts, ", ");
}

std::string LineOf(const Kernel& kernel, const Node& node) {
  const std::string along = absl::StrJoin(
      node.dimensions, " ", [](std::string* text, int d) { absl::StrAppend(text, "d", d); });
  switch (node.kind) {
    case Node::Kind::kGrid:
      return GridText(kernel, node);
    case Node::Kind::kProduct:
      return absl::StrCat("product ", Names(node.values), " ", BlocksText(kernel, node));
    case Node::Kind::kLoop:
      return absl::StrCat("for ", along, " in ", kernel.sizes[node.dimensions[0]], Clipped(node));
    case Node::Kind::kVector:
      return absl::StrCat("vector ", along, " in ", Range(node), Clipped(node), Lanes(node));
    case Node::Kind::kWhen:
      return absl::StrCat("when ", along, " in ", Range(node));
    case Node::Kind::kTile:
      return absl::StrCat("tile ", along, " rows ", node.rows,
                          node.values.empty() ? "" : absl::StrCat(" lanes ", node.lanes),
                          node.is_unrolled ? " unrolled" : "",
                          node.values.empty() ? "" : absl::StrCat(" of ", Names(node.values)));
    case Node::Kind::kReduce:
      return absl::StrCat("reduce ", Names(node.values), node.by_rows ? " rows" : " columns",
                          !node.by_rows                           ? ""
                          : node.order == Node::Order::kInOrder   ? " in order"
                          : node.order == Node::Order::kFromFirst ? " from first"
                                                                  : "",
                          Lanes(node));
    case Node::Kind::kScan:
      return absl::StrCat("scan ", along, " of ", Names(node.values),
                          node.is_reversed ? " reversed" : "",
                          node.begin > 0 ? absl::StrCat(" after ", node.begin) : "", Lanes(node));
    case Node::Kind::kSelect:
    case Node::Kind::kScatter:
      return absl::StrCat(node.kind == Node::Kind::kSelect ? "select " : "scatter ", along,
                          along.empty() ? "of " : " of ", Names(node.values));
    case Node::Kind::kStore:
      return absl::StrCat("store ", node.result, node.is_streamed ? " streamed: " : ": ",
                          Names(node.values));
  }
  return "";
}

// `loop` is the innermost one around the nodes that may load from scratch memory.
void Append(std::string& text, const Kernel& kernel, const std::vector<Node>& nodes, int depth,
            const Node& loop, const Bounds& bounds) {
  for (const Node& node : nodes) {
    absl::StrAppend(&text, std::string(static_cast<size_t>(2 * depth), ' '), LineOf(kernel, node));
    const bool is_loop = node.kind == Node::Kind::kVector || node.kind == Node::Kind::kReduce;
    const Node& around = is_loop ? node : loop;
    if (!node.values.empty() && node.kind != Node::Kind::kTile) {
      const std::string reads = ReadsOf(kernel, around, node, bounds);
      if (!reads.empty()) absl::StrAppend(&text, kReads, reads);
    }
    absl::StrAppend(&text, "\n");
    Bounds inside = bounds;
    if (node.end > 0) {
      const int64_t inner = ElementsAlong(kernel, node) / kernel.sizes[node.dimensions[0]];
      inside[node.dimensions[0]] = {node.begin / inner, node.end / inner};
    }
    Append(text, kernel, node.body, depth + 1, around, inside);
  }
}

// ---- From text

// Reads one line. The first thing that is not what is wanted is the error; what follows has no
// effect.
class LineReader {
 public:
  using Named = absl::flat_hash_map<absl::string_view, const HloInstruction*>;
  LineReader(absl::string_view text, int number, const Named& named)
      : rest_(text), number_(number), named_(named) {
    while (absl::ConsumePrefix(&rest_, "  ")) ++depth_;
  }

  int depth() const { return depth_; }
  bool IsEmpty() const { return rest_.empty(); }
  const absl::Status& status() const { return status_; }

  void Fail(absl::string_view wanted) {
    if (status_.ok()) {
      status_ = InvalidArgument("line %d: %s is wanted in place of \"%s\"", number_, wanted, rest_);
    }
    rest_ = "";
  }
  // Takes a word or a sign with the blank behind it, if it is next.
  bool Take(absl::string_view token) {
    absl::string_view after = rest_;
    if (!absl::ConsumePrefix(&after, token)) return false;
    const bool is_word = absl::ascii_isalpha(static_cast<unsigned char>(token.back()));
    if (is_word && !after.empty() && after[0] != ' ') return false;
    absl::ConsumePrefix(&after, " ");
    rest_ = after;
    return true;
  }
  void Want(absl::string_view token) {
    if (!Take(token)) Fail(absl::StrCat("\"", token, "\""));
  }
  int64_t Number() {
    size_t digits = 0;
    while (digits < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[digits])))
      ++digits;
    int64_t number = 0;
    if (!absl::SimpleAtoi(rest_.substr(0, digits), &number)) Fail("a number");
    rest_.remove_prefix(std::min(digits, rest_.size()));
    absl::ConsumePrefix(&rest_, " ");
    return number;
  }
  bool IsDimension() const {
    return rest_.size() > 1 && rest_[0] == 'd' &&
           absl::ascii_isdigit(static_cast<unsigned char>(rest_[1]));
  }
  int Dimension(const Sizes& sizes) {
    if (!IsDimension()) Fail("a dimension");
    absl::ConsumePrefix(&rest_, "d");
    const int64_t d = Number();
    if (d >= static_cast<int64_t>(sizes.size())) Fail("one of the kernel's dimensions");
    return status_.ok() ? static_cast<int>(d) : 0;
  }
  Values Instructions() {
    Values values;
    do {
      const absl::string_view name = rest_.substr(0, rest_.find_first_of(", "));
      const auto found = named_.find(name);
      if (found == named_.end()) {
        Fail("an instruction of the computation");
        return values;
      }
      values.push_back(found->second);
      rest_.remove_prefix(name.size());
    } while (absl::ConsumePrefix(&rest_, ", "));
    absl::ConsumePrefix(&rest_, " ");
    return values;
  }

 private:
  absl::string_view rest_;
  int number_, depth_ = 0;
  const Named& named_;
  absl::Status status_;
};

void ReadRange(LineReader& line, Node& node) {
  line.Want("in");
  line.Want("[");
  node.begin = line.Number();
  line.Want(",");
  node.end = line.Number();
  line.Want(")");
}

void ReadLanes(LineReader& line, Node& node) {
  if (line.Take("lanes")) node.lanes = static_cast<int>(line.Number());
  if (line.Take("tail")) {
    node.folds_tail = line.Take("folded");
    if (!node.folds_tail) node.tail_lanes = static_cast<int>(line.Number());
  }
  if (line.Take("interleave")) node.interleave = static_cast<int>(line.Number());
  if (line.Take("stores")) node.stores = line.Instructions();
  if (line.Take("loads")) node.loads = line.Instructions();
}

void WantSize(LineReader& line, const Sizes& sizes, int d) {
  line.Want("in");
  if (line.Number() != sizes[d]) line.Fail("the size of the dimension");
}

Node ReadNode(LineReader& line, const Kernel& kernel) {
  const Sizes& sizes = kernel.sizes;
  Node node = {Node::Kind::kGrid};
  const auto begins = [&](absl::string_view word, Node::Kind kind) {
    node.kind = kind;
    return line.Take(word);
  };
  if (begins("grid", Node::Kind::kGrid)) {
    node.is_range = line.Take("range");
    while (!line.IsEmpty() && node.strip == 0) {
      if (line.Take("strips of")) {
        node.strip = line.Number();
        continue;
      }
      node.dimensions.push_back(line.Dimension(sizes));
      WantSize(line, sizes, node.dimensions.back());
      node.steps.push_back(line.Take("by") ? line.Number() : 1);
      line.Take(",");
    }
  } else if (begins("product", Node::Kind::kProduct)) {
    node.values = line.Instructions();
    if (node.values.size() == 1 && IsProduct(*node.values[0]))
      node.dimensions = OrderOfElements(*node.values[0], sizes);
    if (node.dimensions.empty()) {
      line.Fail("a product that is read element by element");
      return node;
    }
    node.dimensions.pop_back();
    node.steps.assign(node.dimensions.size(), 1);
    line.Want(BlocksText(kernel, node));
  } else if (begins("for", Node::Kind::kLoop)) {
    node.dimensions.push_back(line.Dimension(sizes));
    WantSize(line, sizes, node.dimensions[0]);
    node.is_clipped = line.Take("clipped");
  } else if (begins("vector", Node::Kind::kVector)) {
    while (line.IsDimension()) node.dimensions.push_back(line.Dimension(sizes));
    ReadRange(line, node);
    node.is_clipped = line.Take("clipped");
    ReadLanes(line, node);
  } else if (begins("when", Node::Kind::kWhen)) {
    node.dimensions.push_back(line.Dimension(sizes));
    ReadRange(line, node);
  } else if (begins("tile", Node::Kind::kTile)) {
    node.dimensions.push_back(line.Dimension(sizes));
    line.Want("rows");
    node.rows = line.Number();
    if (line.Take("lanes")) node.lanes = static_cast<int>(line.Number());
    node.is_unrolled = line.Take("unrolled");
    if (line.Take("of")) node.values = line.Instructions();
  } else if (begins("reduce", Node::Kind::kReduce)) {
    node.values = line.Instructions();
    node.by_rows = line.Take("rows");
    if (!node.by_rows) line.Want("columns");
    if (node.by_rows && !line.Take("in order")) {
      node.order = line.Take("from first") ? Node::Order::kFromFirst : Node::Order::kFromNeutral;
    }
    ReadLanes(line, node);
  } else if (begins("scan", Node::Kind::kScan) || begins("select", Node::Kind::kSelect) ||
             begins("scatter", Node::Kind::kScatter)) {
    while (line.IsDimension()) node.dimensions.push_back(line.Dimension(sizes));
    line.Want("of");
    node.values = line.Instructions();
    node.is_reversed = line.Take("reversed");
    if (line.Take("after")) node.begin = line.Number();
    ReadLanes(line, node);
  } else if (begins("store", Node::Kind::kStore)) {
    node.result = line.Number();
    node.is_streamed = line.Take("streamed:");
    if (!node.is_streamed) line.Want(":");
    node.values = line.Instructions();
  } else {
    line.Fail("a loop, a reduction or a store");
  }
  return node;
}

}  // namespace

std::string ToString(const Kernel& kernel) {
  std::string text = absl::StrCat("kernel over [", absl::StrJoin(kernel.sizes, ", "), "]\n");
  if (!kernel.scratch.empty()) absl::StrAppend(&text, "  scratch ", Names(kernel.scratch), "\n");
  Bounds bounds;
  for (int64_t size : kernel.sizes) bounds.emplace_back(0, size);
  Append(text, kernel, kernel.before, 1, kernel.body[0], bounds);
  Append(text, kernel, kernel.body, 1, kernel.body[0], bounds);
  return text;
}

absl::StatusOr<Kernel> Parse(absl::string_view text, const HloComputation& computation) {
  LineReader::Named named;
  for (const HloInstruction* each : computation.instructions()) named[each->name()] = each;
  Kernel kernel;
  kernel.computation = &computation;
  int number = 0;
  std::vector<std::vector<Node>*> open;  // by depth
  for (absl::string_view content : absl::StrSplit(text, '\n')) {
    LineReader line(content.substr(0, content.find(kReads)), ++number, named);
    if (line.IsEmpty()) continue;
    if (open.empty()) {
      line.Want("kernel over [");
      while (!line.Take("]") && line.status().ok()) {
        kernel.sizes.push_back(line.Number());
        line.Take(",");
      }
      open.push_back(&kernel.body);
    } else if (line.Take("scratch")) {
      kernel.scratch = line.Instructions();
    } else {
      if (line.depth() < 1 || line.depth() > static_cast<int>(open.size()))
        line.Fail("something that belongs into a loop");
      Node node = ReadNode(line, kernel);
      if (!line.IsEmpty()) line.Fail("the end of the line");
      HILO_RETURN_IF_ERROR(line.status());
      open.resize(line.depth());
      std::vector<Node>& nodes = *open.back();
      if (line.depth() == 1 && node.kind == Node::Kind::kReduce) {
        kernel.before.push_back(std::move(node));
      } else {
        nodes.push_back(std::move(node));
        open.push_back(&nodes.back().body);
      }
      continue;
    }
    HILO_RETURN_IF_ERROR(line.status());
  }
  HILO_RETURN_IF_ERROR(Verify(kernel));
  // What is read follows from all else.
  const std::string own_text = ToString(kernel);
  const std::vector<absl::string_view> lines = absl::StrSplit(text, '\n');
  const std::vector<absl::string_view> own = absl::StrSplit(own_text, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    if (absl::StrContains(lines[i], kReads) && (i >= own.size() || lines[i] != own[i]))
      return InvalidArgument("line %d: something else is read", i + 1);
  }
  return kernel;
}

}  // namespace xla::loops
