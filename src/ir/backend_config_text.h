// Configurations of back ends that are JSON.
#ifndef HILO_IR_BACKEND_CONFIG_TEXT_H_
#define HILO_IR_BACKEND_CONFIG_TEXT_H_

#include <string>

namespace xla {

// The JSON with the keys of each object in order and without space; any other text as it is.
std::string SortedJson(const std::string& text);

}  // namespace xla

#endif  // HILO_IR_BACKEND_CONFIG_TEXT_H_
