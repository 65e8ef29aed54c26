#include "ir/backend_config_text.h"

#include <nlohmann/json.hpp>

namespace xla {

std::string SortedJson(const std::string& text) {
  const nlohmann::json parsed =
      nlohmann::json::parse(text, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return text;
  return parsed.dump(-1, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
}

}  // namespace xla
