#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "tools/profile.h"

namespace xla {
namespace {

using nlohmann::ordered_json;

// Names and texts in UTF-8, whatever bytes a program has.
std::string Dump(const ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

double Rounded(double value, double scale) { return std::round(value * scale) / scale; }

std::string TimeText(double nanoseconds) {
  if (nanoseconds >= 1e9) return absl::StrFormat("%.3f s ", nanoseconds / 1e9);
  if (nanoseconds >= 1e6) return absl::StrFormat("%.3f ms", nanoseconds / 1e6);
  if (nanoseconds >= 1e3) return absl::StrFormat("%.3f us", nanoseconds / 1e3);
  return absl::StrFormat("%.1f ns", nanoseconds);
}

// Whole characters of UTF-8, at most so many bytes of them; the end, or the beginning, is left out.
std::string Shortened(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t end = most - 3;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), "...");
}
std::string LastPart(const std::string& text, size_t most) {
  if (text.size() <= most) return text;
  size_t begin = text.size() - (most - 3);
  while (begin < text.size() && (text[begin] & 0xc0) == 0x80) ++begin;
  return absl::StrCat("...", text.substr(begin));
}

class Table {
 public:
  Table(const Profile& profile, bool has_all) : profile_(profile), inside_(profile.entries.size()) {
    for (size_t i = 0; i < profile.entries.size(); ++i) {
      const int64_t parent = profile.entries[i].parent;
      (parent < 0 ? outermost_ : inside_[parent]).push_back(i);
      longest_first_.push_back(i);
    }
    absl::c_stable_sort(longest_first_, [&](size_t x, size_t y) {
      return profile.entries[x].own_nanoseconds > profile.entries[y].own_nanoseconds;
    });
    Choose(has_all);
  }

  std::string Print() {
    PrintSummary();
    absl::StrAppendFormat(&text_, "\n%12s %6s %9s %12s %8s %8s  %-16s %-34s %-44s %s\n", "time",
                          "%", "calls", "a call", "GB/s", "Gflop/s", "of the limit", "step",
                          "what it does", "source");
    Print(outermost_, 0);
    if (left_out_ > 0) {
      absl::StrAppendFormat(&text_, "%12s %5.1f%%  in %d more steps\n", TimeText(left_out_time_),
                            100 * left_out_time_ / profile_.nanoseconds, left_out_);
    }
    return std::move(text_);
  }

 private:
  // Those that take most of the time, and what is around them.
  void Choose(bool has_all) {
    is_shown_.resize(profile_.entries.size(), has_all);
    double shown = 0;
    for (size_t i : longest_first_) {
      const bool is_enough = shown >= 0.99 * profile_.named_nanoseconds;
      if (!is_shown_[i] && is_enough) continue;
      shown += profile_.entries[i].own_nanoseconds;
      for (int64_t at = static_cast<int64_t>(i); at >= 0; at = profile_.entries[at].parent)
        is_shown_[at] = true;
    }
    for (size_t i : longest_first_) {
      if (is_shown_[i]) continue;
      ++left_out_;
      left_out_time_ += profile_.entries[i].own_nanoseconds;
    }
  }

  void PrintSummary() {
    absl::StrAppendFormat(
        &text_, "%s on %d thread%s: %s a run, %s at the least, %s without profiling (%+.1f %%)\n",
        profile_.module, profile_.threads, profile_.threads == 1 ? "" : "s",
        TimeText(profile_.nanoseconds), TimeText(profile_.least_nanoseconds),
        TimeText(profile_.normal_nanoseconds), 100 * profile_.overhead);
    absl::StrAppendFormat(&text_, "this machine: %.1f GB/s of memory, %.1f Gflop/s\n",
                          profile_.machine.bytes_per_second / 1e9,
                          profile_.machine.flops_per_second / 1e9);
    double time = 0;
    int64_t count = 0;
    for (size_t i : longest_first_) {
      if (time >= 0.95 * profile_.nanoseconds) break;
      time += profile_.entries[i].own_nanoseconds;
      ++count;
    }
    absl::StrAppendFormat(&text_, "%d of %d steps make %.0f %%; all of them %.1f %%\n", count,
                          profile_.entries.size(), 100 * time / profile_.nanoseconds,
                          100 * profile_.named_nanoseconds / profile_.nanoseconds);
  }

  void Print(std::vector<size_t> entries, int depth) {
    absl::c_stable_sort(entries, [&](size_t x, size_t y) {
      return profile_.entries[x].nanoseconds > profile_.entries[y].nanoseconds;
    });
    for (size_t i : entries) {
      if (!is_shown_[i]) continue;
      PrintRow(profile_.entries[i], depth);
      Print(inside_[i], depth + 1);
    }
  }

  void PrintRow(const ProfileEntry& entry, int depth) {
    const double calls = static_cast<double>(std::max<int64_t>(1, entry.calls));
    std::string what =
        entry.kind == entry.text ? entry.kind : absl::StrCat(entry.kind, " of ", entry.text);
    if (entry.trips > 0) absl::StrAppend(&what, ", ", entry.trips, " trips");
    const auto rate = [&](double amount) {
      return amount == 0 || entry.nanoseconds == 0
                 ? std::string()
                 : absl::StrFormat("%.1f", amount / entry.nanoseconds);
    };
    absl::StrAppendFormat(
        &text_, "%12s %5.1f%% %9d %12s %8s %8s  %-16s %-34s %-44s %s\n",
        TimeText(entry.nanoseconds), 100 * entry.nanoseconds / profile_.nanoseconds, entry.calls,
        TimeText(entry.nanoseconds / calls), rate(entry.bytes), rate(entry.flops),
        entry.limit.empty() ? "" : absl::StrFormat("%3.0f %% %s", 100 * entry.share, entry.limit),
        Shortened(absl::StrCat(std::string(2 * depth, ' '), entry.name), 34), Shortened(what, 44),
        entry.sources.empty() ? "" : LastPart(entry.sources[0], 40));
  }

  const Profile& profile_;
  std::vector<size_t> outermost_, longest_first_;
  std::vector<std::vector<size_t>> inside_;
  std::vector<bool> is_shown_;
  int64_t left_out_ = 0;
  double left_out_time_ = 0;
  std::string text_;
};

}  // namespace

std::string ProfileTable(const Profile& profile, bool has_all) {
  return Table(profile, has_all).Print();
}

std::string ProfileJson(const Profile& profile) {
  ordered_json json;
  json["module"] = profile.module;
  json["threads"] = profile.threads;
  json["runs"] = profile.runs;
  json["nanoseconds"] = Rounded(profile.nanoseconds, 10);
  json["named_nanoseconds"] = Rounded(profile.named_nanoseconds, 10);
  json["least_nanoseconds"] = Rounded(profile.least_nanoseconds, 10);
  json["normal_nanoseconds"] = Rounded(profile.normal_nanoseconds, 10);
  json["overhead"] = Rounded(profile.overhead, 1e4);
  json["bytes_per_second"] = Rounded(profile.machine.bytes_per_second, 1);
  json["flops_per_second"] = Rounded(profile.machine.flops_per_second, 1);
  json["entries"] = ordered_json::array();
  for (const ProfileEntry& entry : profile.entries) {
    ordered_json each;
    each["name"] = entry.name;
    each["kind"] = entry.kind;
    each["text"] = entry.text;
    each["instructions"] = entry.instructions;
    each["sources"] = entry.sources;
    each["parent"] = entry.parent;
    each["calls"] = entry.calls;
    each["trips"] = entry.trips;
    each["nanoseconds"] = Rounded(entry.nanoseconds, 10);
    each["own_nanoseconds"] = Rounded(entry.own_nanoseconds, 10);
    each["bytes"] = Rounded(entry.bytes, 1);
    each["flops"] = Rounded(entry.flops, 1);
    each["share"] = Rounded(entry.share, 1e4);
    each["limit"] = entry.limit;
    json["entries"].push_back(std::move(each));
  }
  return Dump(json, 1);
}

std::string ProfileTrace(const Profile& profile) {
  ordered_json events = ordered_json::array();
  const auto name = [&](absl::string_view what, int64_t thread, std::string text) {
    events.push_back({{"name", std::string(what)},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", thread},
                      {"args", {{"name", std::move(text)}}}});
  };
  name("process_name", 0, profile.module);
  std::vector<int64_t> threads = {0};
  for (const Profile::Event& event : profile.events) {
    if (!absl::c_linear_search(threads, event.thread)) threads.push_back(event.thread);
  }
  for (int64_t thread : threads)
    name("thread_name", thread, thread == 0 ? "program" : absl::StrCat("helper ", thread));
  for (const Profile::Event& event : profile.events) {
    const ProfileEntry& entry = profile.entries[event.entry];
    ordered_json each = {{"name", entry.name}, {"cat", entry.kind}, {"ph", "X"}, {"pid", 1}};
    each["tid"] = event.thread;
    each["ts"] = Rounded(event.begin / 1e3, 1e3);
    each["dur"] = Rounded((event.end - event.begin) / 1e3, 1e3);
    each["args"] = {{"text", entry.text}};
    if (!entry.sources.empty()) each["args"]["source"] = entry.sources[0];
    events.push_back(std::move(each));
  }
  ordered_json trace;
  trace["displayTimeUnit"] = "ns";
  trace["traceEvents"] = std::move(events);
  return Dump(trace, -1);
}

}  // namespace xla
