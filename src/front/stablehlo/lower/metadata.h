// Locations of a program as what instructions say of where they come from.
#ifndef HILO_FRONT_STABLEHLO_LOWER_METADATA_H_
#define HILO_FRONT_STABLEHLO_LOWER_METADATA_H_

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "front/stablehlo/program.h"
#include "xla/hlo/ir/stack_frames.h"
#include "xla/xla_data.pb.h"

namespace xla::stablehlo::lowering {

// The outermost name is that of the operation; one that ends in a colon is its type, and the name
// is the next one. Names in front of places in files are functions: such places are frames. A
// location that is no more than a place in a file has no frame.
class Metadata {
 public:
  struct Origin {
    OpMetadata metadata;
    std::string instruction_name;  // empty for the name of the operation
  };

  // Null where the location says nothing. Lives as long as this.
  const Origin* Of(const Location* location);

  StackFrames& frames() { return frames_; }

 private:
  Origin Make(const Location& location);
  StackFrameId FrameOf(const Location& location, absl::string_view function, StackFrameId caller,
                       int depth);

  absl::flat_hash_map<const Location*, std::unique_ptr<Origin>> origins_;
  StackFrames frames_;
};

// The place in a file that the location names first, "f.py:3:4"; empty if it names none.
std::string PlaceOf(const Location* location);

}  // namespace xla::stablehlo::lowering

#endif  // HILO_FRONT_STABLEHLO_LOWER_METADATA_H_
