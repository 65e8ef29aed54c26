// Layouts as the extension hands them out.
#ifndef HILO_PJRT_C_LAYOUTS_H_
#define HILO_PJRT_C_LAYOUTS_H_

#include <memory>
#include <string>

#include "xla/layout.h"
#include "xla/pjrt/c/pjrt_c_api_layouts_extension.h"

struct PJRT_Layouts_MemoryLayout {
  std::string text;
  bool is_shared = false;  // lives as long as the process
};

namespace xla::pjrt_c {

// Row-major layouts, which nearly all are, are shared.
PJRT_Layouts_MemoryLayout* NewLayout(const Layout& layout);
void DestroyLayout(PJRT_Layouts_MemoryLayout* layout);

}  // namespace xla::pjrt_c

#endif  // HILO_PJRT_C_LAYOUTS_H_
