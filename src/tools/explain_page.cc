#include "tools/explain_page.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "tools/explain_page_files.h"
#include "xla/util.h"

namespace xla {
namespace {

using cpu::ProgramReport;
using Json = nlohmann::ordered_json;

// Texts that many instructions share, each once.
class SharedTexts {
 public:
  int64_t NumberOf(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const Json& texts() const { return texts_; }

 private:
  std::map<std::string, int64_t> numbers_;
  Json texts_ = Json::array();
};

Json Instructions(const ProgramReport& program, SharedTexts& shared) {
  Json list = Json::array();
  for (const ProgramReport::Instruction& each : program.instructions) {
    Json entry = {{"name", each.name},
                  {"opcode", shared.NumberOf(each.opcode)},
                  {"shape", shared.NumberOf(each.shape)},
                  {"layout", shared.NumberOf(each.layout)},
                  {"text", each.text},
                  {"source", shared.NumberOf(each.source)},
                  {"scope", shared.NumberOf(each.op_name)},
                  {"computation", each.computation},
                  {"operands", each.operands}};
    if (!each.calls.empty()) entry["calls"] = each.calls;
    list.push_back(std::move(entry));
  }
  return list;
}

Json Computations(const ProgramReport& program) {
  Json list = Json::array();
  for (const ProgramReport::Computation& each : program.computations)
    list.push_back({{"name", each.name}, {"root", each.root}, {"fusion", each.is_fusion}});
  return list;
}

Json Arrays(const ProgramReport& program) {
  Json list = Json::array();
  for (const ProgramReport::Array& each : program.arrays) {
    Json lives = Json::array();
    for (const program::Interval& life : each.lives) lives.push_back({life.begin, life.end});
    list.push_back({{"name", each.name},
                    {"shape", each.shape},
                    {"instruction", each.instruction},
                    {"bytes", each.bytes},
                    {"place", each.in_memory ? each.place : "register"},
                    {"register", each.in_register},
                    {"number", each.number},
                    {"offset", each.offset},
                    {"lives", std::move(lives)}});
  }
  return list;
}

Json Steps(const ProgramReport& program) {
  Json list = Json::array();
  for (const ProgramReport::Step& each : program.steps) {
    Json entry = {{"kind", each.kind},     {"instruction", each.instruction},
                  {"parent", each.parent}, {"time", each.time},
                  {"reads", each.reads},   {"writes", each.writes}};
    if (each.kernel >= 0) entry["kernel"] = each.kernel;
    if (!each.library.empty()) entry["library"] = each.library;
    if (!each.computes.empty()) entry["computes"] = each.computes;
    if (!each.why_not_in_registers.empty()) entry["not_in_registers"] = each.why_not_in_registers;
    for (const ProgramReport::Apart& apart : each.apart)
      entry["apart"].push_back({{"instruction", apart.instruction}, {"why", apart.why}});
    list.push_back(std::move(entry));
  }
  return list;
}

Json Lines(const ProgramReport& program) {
  Json list = Json::array();
  for (const ProgramReport::Line& each : program.lines)
    list.push_back({each.depth, each.step, each.text});
  return list;
}

Json Kernels(const ProgramReport& program) {
  Json list = Json::array();
  for (const ProgramReport::Kernel& each : program.kernels)
    list.push_back({{"computation", each.computation}, {"loops", each.loops}});
  return list;
}

Json Memory(const cpu::CompileReport& report) {
  const ProgramReport& program = *report.data;
  Json memory = {{"arena", program.arena_bytes}, {"places", report.bytes}};
  Json& uses = memory["uses"] = Json::array();
  for (const ProgramReport::Use& use : program.uses) uses.push_back({use.time, use.bytes, use.end});
  Json& copies = memory["copies"] = Json::array();
  for (const ProgramReport::Copy& copy : program.copies)
    copies.push_back({{"from", copy.from}, {"to", copy.to}, {"why", copy.why}});
  Json& aliases = memory["aliases"] = Json::array();
  for (const cpu::CompileReport::Alias& alias : report.aliases) {
    aliases.push_back(
        {{"result", alias.result}, {"parameter", alias.parameter}, {"why_not", alias.why_not}});
  }
  return memory;
}

Json Stages(const cpu::CompileReport& report) {
  Json list = Json::array();
  for (const cpu::CompileReport::Stage& stage : report.stages) {
    list.push_back(
        {{"name", stage.name}, {"milliseconds", stage.milliseconds}, {"changed", stage.changed}});
  }
  return list;
}

// Names in a module may be anything; in a script, nothing but "<" could end it.
std::string TextOf(const Json& data) {
  const std::string text = data.dump(-1, ' ', true, Json::error_handler_t::replace);
  return absl::StrReplaceAll(text, {{"<", "\\u003c"}});
}

}  // namespace

absl::StatusOr<std::string> ExplainPage(const cpu::CompileReport& report,
                                        absl::string_view profile) {
  const ProgramReport& program = *report.data;
  SharedTexts shared;
  Json data = {{"module", program.module},
               {"target", program.target},
               {"computations", Computations(program)},
               {"instructions", Instructions(program, shared)},
               {"texts", shared.texts()},
               {"arrays", Arrays(program)},
               {"steps", Steps(program)},
               {"lines", Lines(program)},
               {"kernels", Kernels(program)},
               {"memory", Memory(report)},
               {"stages", Stages(report)}};
  if (!profile.empty()) {
    data["profile"] = Json::parse(profile.begin(), profile.end(), nullptr, false);
    if (data["profile"].is_discarded()) return InvalidArgument("the profile is no JSON");
  }
  const std::string script =
      absl::StrCat(kModelJs, kListsJs, kLayoutJs, kGraphJs, kFusionsJs, kMemoryJs, kProfileJs,
                   kTextsJs, kOutlineJs, kSearchJs, kInspectorJs, kPageJs);
  // All at once, so that nothing that is put in is looked through.
  return absl::StrReplaceAll(
      kPageHtml,
      {{"/* page.css */", kPageCss}, {"/* page.js */", script}, {"/* data */", TextOf(data)}});
}

}  // namespace xla
