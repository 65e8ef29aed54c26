#include "tools/profile.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status_macros.h"
#include "runtime/parallel.h"
#include "runtime/profile.h"
#include "tools/progress.h"
#include "tools/stopwatch.h"
#include "xla/util.h"

namespace xla {
namespace {

using runtime::Recording;
using runtime::Region;

constexpr size_t kMostEvents = 1 << 18;
constexpr int64_t kMostCounts = 1000000;  // of all runs together

struct ProfiledRun {
  uint64_t ticks;
  std::vector<Recording::Count> counts;
};

// Sums of the runs that took no longer than the median.
std::vector<Recording::Count> AddFasterHalf(std::vector<ProfiledRun>& runs, int64_t* added,
                                            double* ticks) {
  absl::c_sort(runs, [](const auto& x, const auto& y) { return x.ticks < y.ticks; });
  const size_t half = (runs.size() + 1) / 2;
  std::vector<Recording::Count> sums(runs[0].counts.size());
  for (size_t i = 0; i < half; ++i) {
    *ticks += static_cast<double>(runs[i].ticks);
    for (size_t k = 0; k < sums.size(); ++k) {
      sums[k].calls += runs[i].counts[k].calls;
      sums[k].trips += runs[i].counts[k].trips;
      sums[k].ticks += runs[i].counts[k].ticks;
    }
  }
  *added = static_cast<int64_t>(half);
  return sums;
}

// What the machine takes at least, in nanoseconds.
struct Least {
  double memory = 0, arithmetic = 0, either = 0;

  Least& operator+=(const Least& other) {
    memory += other.memory;
    arithmetic += other.arithmetic;
    either += other.either;
    return *this;
  }
};

Least LeastOf(const runtime::Work& work, const MachineLimits& machine) {
  Least least;
  least.memory = work.bytes / machine.bytes_per_second * 1e9;
  least.arithmetic = 2 * work.additions / machine.flops_per_second * 1e9;
  least.either = std::max(least.memory, least.arithmetic);
  return least;
}

ProfileEntry EntryOf(const Region& region, const Recording::Count& sum, double runs,
                     double nanoseconds_a_tick, runtime::Work* work) {
  ProfileEntry entry;
  entry.name = region.name;
  entry.kind = region.kind;
  entry.text = region.text;
  entry.instructions = region.instructions;
  entry.sources = region.sources;
  entry.parent = region.parent;
  const double calls = static_cast<double>(sum.calls) / runs;
  const double trips = static_cast<double>(sum.trips) / runs;
  entry.calls = static_cast<int64_t>(calls + 0.5);
  entry.trips = static_cast<int64_t>(trips + 0.5);
  entry.own_nanoseconds = static_cast<double>(sum.ticks) / runs * nanoseconds_a_tick;
  *work = calls * region.per_call;
  *work += trips * region.per_trip;
  return entry;
}

// Adds to parents what is inside of them.
void AddEntries(absl::Span<const Region> regions, absl::Span<const Recording::Count> sums,
                double runs, double nanoseconds_a_tick, Profile& profile) {
  std::vector<Least> least(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    runtime::Work work;
    ProfileEntry& entry =
        profile.entries.emplace_back(EntryOf(regions[i], sums[i], runs, nanoseconds_a_tick, &work));
    entry.nanoseconds = entry.own_nanoseconds;
    entry.bytes = work.bytes;
    entry.flops = work.flops;
    least[i] = LeastOf(work, profile.machine);
  }
  for (size_t i = regions.size(); i-- > 0;) {
    ProfileEntry& entry = profile.entries[i];
    if (entry.nanoseconds > 0) entry.share = least[i].either / entry.nanoseconds;
    if (least[i].either > 0)
      entry.limit = least[i].memory >= least[i].arithmetic ? "memory" : "arithmetic";
    if (entry.parent < 0) {
      profile.named_nanoseconds += entry.nanoseconds;
      continue;
    }
    ProfileEntry& parent = profile.entries[entry.parent];
    parent.nanoseconds += entry.nanoseconds;
    parent.bytes += entry.bytes;
    parent.flops += entry.flops;
    least[entry.parent] += least[i];
  }
}

// Events say when something ended. Each began when the one before ended; what is around it began
// with the first event inside of it.
class EventReader {
 public:
  EventReader(Profile& profile, uint64_t begin, double nanoseconds_a_tick)
      : profile_(profile), begin_(begin), nanoseconds_a_tick_(nanoseconds_a_tick) {}

  void Add(const Recording::Event& event) {
    const double end = Time(event.end);
    std::vector<int64_t> around;
    for (int64_t at = profile_.entries[event.region].parent; at >= 0;
         at = profile_.entries[at].parent)
      around.insert(around.begin(), at);
    for (size_t i = open_.size(); i < around.size(); ++i) open_.push_back({around[i], last_});
    const bool is_open = open_.size() > around.size();
    profile_.events.push_back({event.region, 0, is_open ? open_.back().begin : last_, end});
    if (is_open) {
      open_.pop_back();
    } else {
      leaves_.push_back(profile_.events.back());
    }
    last_ = end;
  }

  // Belongs to what the program did at that time.
  void Add(const Recording::Part& part) {
    const double begin = Time(part.begin), end = Time(part.end);
    const auto found = absl::c_lower_bound(
        leaves_, begin, [](const Profile::Event& leaf, double at) { return leaf.end < at; });
    if (part.thread != 0 && found != leaves_.end() && found->begin <= begin)
      profile_.events.push_back({found->entry, part.thread, begin, end});
  }

 private:
  struct Open {
    int64_t entry;
    double begin;
  };

  double Time(uint64_t ticks) const {
    return static_cast<double>(static_cast<int64_t>(ticks - begin_)) * nanoseconds_a_tick_;
  }

  Profile& profile_;
  const uint64_t begin_;
  const double nanoseconds_a_tick_;
  std::vector<Open> open_;
  std::vector<Profile::Event> leaves_;
  double last_ = 0;
};

absl::Status AddEvents(RepeatedRun& run, CompiledModule& profiled, double nanoseconds_a_tick,
                       Profile& profile) {
  Recording recording(profile.entries.size(), kMostEvents);
  RunContext context;
  context.recording = &recording;
  HILO_RETURN_IF_ERROR(run.RunInstead(profiled, context));
  uint64_t begin;
  const std::vector<Recording::Event> events = recording.Events(&begin);
  EventReader reader(profile, begin, nanoseconds_a_tick);
  for (const Recording::Event& event : events) reader.Add(event);
  for (const Recording::Part& part : recording.Parts()) reader.Add(part);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Profile> MeasureProfile(RepeatedRun& run, CompiledModule& profiled,
                                       const ProfileOptions& options) {
  const absl::Span<const Region> regions = profiled.regions();
  if (regions.empty()) {
    return InvalidArgument("module %s: nothing of the program can be timed",
                           profiled.module().name());
  }
  Profile profile;
  profile.module = profiled.module().name();
  profile.machine = MeasureLimits();
  profile.threads = runtime::ThreadCount();
  Recording recording(regions.size());
  RunContext context;
  context.recording = &recording;
  HILO_RETURN_IF_ERROR(run.Run());
  HILO_RETURN_IF_ERROR(run.RunInstead(profiled, context));
  const Stopwatch first;
  HILO_RETURN_IF_ERROR(run.Run());
  const double fitting = options.seconds * 1e3 / (2 * std::max(first.Milliseconds(), 1e-3));
  const int64_t most =
      std::clamp<int64_t>(kMostCounts / static_cast<int64_t>(regions.size()), 3, 2000);
  profile.runs = static_cast<int64_t>(std::clamp(fitting, 3.0, static_cast<double>(most)));

  std::vector<ProfiledRun> runs;
  std::vector<double> ratios;
  uint64_t least_normal = std::numeric_limits<uint64_t>::max();
  Progress progress("runs", profile.runs);
  const Stopwatch clock;
  const uint64_t begin = runtime::Ticks();
  for (int64_t i = 0; i < profile.runs; ++i) {
    uint64_t normal = 0, stamped = 0;
    // What one leaves in caches is the other's to find as often.
    for (bool is_profiled : {i % 2 == 0, i % 2 != 0}) {
      const uint64_t before = runtime::Ticks();
      HILO_RETURN_IF_ERROR(is_profiled ? run.RunInstead(profiled, context) : run.Run());
      (is_profiled ? stamped : normal) = runtime::Ticks() - before;
    }
    ratios.push_back(static_cast<double>(stamped) / static_cast<double>(normal));
    least_normal = std::min(least_normal, normal);
    runs.push_back({stamped, {recording.counts().begin(), recording.counts().end()}});
    progress.Advance();
  }
  const double nanoseconds_a_tick =
      clock.Milliseconds() * 1e6 / static_cast<double>(runtime::Ticks() - begin);

  int64_t added = 0;
  double ticks = 0;
  const std::vector<Recording::Count> sums = AddFasterHalf(runs, &added, &ticks);
  const double count = static_cast<double>(added);
  profile.nanoseconds = ticks / count * nanoseconds_a_tick;
  profile.least_nanoseconds = static_cast<double>(runs[0].ticks) * nanoseconds_a_tick;
  profile.normal_nanoseconds = static_cast<double>(least_normal) * nanoseconds_a_tick;
  absl::c_sort(ratios);
  profile.overhead = ratios[ratios.size() / 2] - 1;
  AddEntries(regions, sums, count, nanoseconds_a_tick, profile);
  if (options.wants_events)
    HILO_RETURN_IF_ERROR(AddEvents(run, profiled, nanoseconds_a_tick, profile));
  return profile;
}

absl::StatusOr<Profile> MeasureEachStep(RepeatedRun& run, CompileToProfile compile,
                                        const ProfileOptions& options) {
  HILO_ASSIGN_OR_RETURN(const std::unique_ptr<CompiledModule> profiled, compile("steps"));
  return MeasureProfile(run, *profiled, options);
}

absl::StatusOr<Profile> MeasureCheapProfile(RepeatedRun& run, CompileToProfile compile,
                                            const ProfileOptions& options) {
  constexpr double kMostOverhead = 0.05;
  absl::StatusOr<Profile> profile;
  for (const char* how : {"regions", "regions:16", "regions:256", "regions:4096"}) {
    HILO_ASSIGN_OR_RETURN(const std::unique_ptr<CompiledModule> profiled, compile(how));
    profile = MeasureProfile(run, *profiled, options);
    if (!profile.ok() || profile->overhead <= kMostOverhead) break;
  }
  return profile;
}

}  // namespace xla
