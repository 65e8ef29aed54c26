// Libraries that belong to Hilo and are loaded when they are first needed.
#ifndef HILO_PLATFORM_OWN_LIBRARIES_H_
#define HILO_PLATFORM_OWN_LIBRARIES_H_

#include <string>
#include <vector>

namespace xla {

// Where they may lie, each with a '/' at its end: beside the library or program that has this code,
// in the folder lib next to that one's, or wherever the system has its libraries, which is "".
std::vector<std::string> OwnLibraryFolders();

}  // namespace xla

#endif  // HILO_PLATFORM_OWN_LIBRARIES_H_
