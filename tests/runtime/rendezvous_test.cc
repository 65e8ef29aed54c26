// Devices exchange pieces: threads of one process, and processes, which are threads of the test as
// well, whose messages stay in memory or go by Gloo where it is there.
#include "runtime/rendezvous.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/collectives/folder_store.h"
#include "runtime/collectives/process_rendezvous.h"
#include "runtime/overlapped_calls.h"

namespace xla::runtime {
namespace {

using ::testing::HasSubstr;

// What is on its way between processes that are threads of the test.
class Network {
 public:
  using Key = std::tuple<int, int, uint64_t>;

  void Put(const Key& key, std::string message) {
    const std::lock_guard<std::mutex> lock(mutex_);
    messages_[key].push_back(std::move(message));
    changed_.notify_all();
  }
  absl::StatusOr<std::string> Take(const Key& key, absl::Time deadline) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (messages_[key].empty()) {
      if (gone_.count(std::get<0>(key)) > 0) return absl::UnavailableError("it is gone");
      if (absl::Now() > deadline) return absl::DeadlineExceededError("nothing came in time");
      changed_.wait_for(lock, std::chrono::milliseconds(5));
    }
    std::string message = std::move(messages_[key].front());
    messages_[key].pop_front();
    return message;
  }
  void Leave(int process) {
    const std::lock_guard<std::mutex> lock(mutex_);
    gone_.insert(process);
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::deque<std::string>> messages_;
  std::set<int> gone_;
};

class NetworkTransport : public Transport {
 public:
  NetworkTransport(Network& network, int rank, int size)
      : network_(network), rank_(rank), size_(size) {}
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  TransferOrStatus Send(int to, uint64_t tag, const void* data, size_t bytes) override {
    network_.Put({rank_, to, tag}, std::string(static_cast<const char*>(data), bytes));
    return std::make_unique<Sent>();
  }
  TransferOrStatus Receive(int from, uint64_t tag, void* data, size_t bytes) override {
    return std::make_unique<Received>(network_, Network::Key(from, rank_, tag), data, bytes);
  }
  void Close() override { network_.Leave(rank_); }

 private:
  struct Sent : Transfer {
    absl::Status Wait(absl::Time) override { return absl::OkStatus(); }
  };
  struct Received : Transfer {
    Received(Network& network, Network::Key key, void* data, size_t bytes)
        : network(network), key(std::move(key)), data(data), bytes(bytes) {}
    absl::Status Wait(absl::Time deadline) override {
      const absl::StatusOr<std::string> message = network.Take(key, deadline);
      if (!message.ok()) return message.status();
      if (message->size() != bytes) return absl::InternalError("a message of another size");
      std::memcpy(data, message->data(), bytes);
      return absl::OkStatus();
    }
    Network& network;
    const Network::Key key;
    void* const data;
    const size_t bytes;
  };

  Network& network_;
  const int rank_, size_;
};

// Gloo's transports for as many processes; nothing where the engine is not there.
std::vector<std::unique_ptr<Transport>> ConnectByGloo(int count) {
  std::string folder = testing::TempDir() + "/hilo_rendezvous_test.XXXXXX";
  CHECK(mkdtemp(folder.data()) != nullptr);
  FolderStore store(folder);
  std::vector<absl::StatusOr<std::unique_ptr<Transport>>> connected(count);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.emplace_back([&, rank] {
      TransportOptions options;
      options.rank = rank;
      options.size = count;
      options.address = "127.0.0.1";
      options.store = &store;
      connected[rank] = ConnectProcesses("gloo", options);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::filesystem::remove_all(folder);
  std::vector<std::unique_ptr<Transport>> transports;
  for (auto& transport : connected) {
    if (absl::IsNotFound(transport.status())) return {};
    CHECK_OK(transport.status());
    transports.push_back(*std::move(transport));
  }
  return transports;
}

constexpr Exchange kExchange = {"all-to-all", "meeting", 5};

// Devices of one run, a thread each, spread over processes.
class DevicesOfRun {
 public:
  // The process of each device; all in one need no messages.
  DevicesOfRun(std::vector<int> processes, absl::Duration timeout = absl::Minutes(1))
      : DevicesOfRun(std::move(processes), {}, timeout) {}
  // The transports of the processes; where there are none, messages stay in memory.
  DevicesOfRun(std::vector<int> processes, std::vector<std::unique_ptr<Transport>> transports,
               absl::Duration timeout)
      : processes_(std::move(processes)) {
    const int count = CountProcesses(processes_);
    for (int rank = 0; rank < count; ++rank) {
      std::unique_ptr<Transport> transport =
          transports.empty() ? std::make_unique<NetworkTransport>(network_, rank, count)
                             : std::move(transports[rank]);
      groups_.push_back(std::make_unique<ProcessGroup>(std::move(transport), timeout));
      if (count == 1) {
        places_.push_back(std::make_unique<Rendezvous>(processes_.size()));
      } else {
        places_.push_back(std::make_unique<ProcessRendezvous>(*groups_.back(), processes_, "run"));
      }
    }
  }

  static int CountProcesses(const std::vector<int>& processes) {
    return *std::max_element(processes.begin(), processes.end()) + 1;
  }

  // Calls function(device, rendezvous) for each of the devices; gives what each gave.
  template <typename Function>
  std::vector<absl::Status> ForEach(const std::vector<int64_t>& devices, const Function& function) {
    std::vector<absl::Status> statuses(devices.size());
    std::vector<std::thread> threads;
    for (size_t i = 0; i < devices.size(); ++i) {
      threads.emplace_back([&, i] {
        Rendezvous& place = *places_[processes_[devices[i]]];
        statuses[i] = function(devices[i], place);
        if (!statuses[i].ok()) place.Leave(devices[i], statuses[i]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return statuses;
  }

 private:
  Network network_;
  const std::vector<int> processes_;
  std::vector<std::unique_ptr<ProcessGroup>> groups_;
  std::vector<std::unique_ptr<Rendezvous>> places_;
};

std::vector<int64_t> AllOf(size_t count) {
  std::vector<int64_t> devices(count);
  std::iota(devices.begin(), devices.end(), 0);
  return devices;
}

char Letter(int64_t from, int64_t to) { return static_cast<char>('a' + 5 * from + to); }

// Device i sends j + 1 letters to device j, of which the first lies apart from the others.
void ExpectOwnPieces(DevicesOfRun& run, size_t count) {
  const std::vector<int64_t> devices = AllOf(count);
  const auto statuses = run.ForEach(devices, [&](int64_t device, Rendezvous& place) {
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::vector<std::string> sent, received;
      for (size_t i = 0; i < count; ++i) {
        sent.emplace_back(i + 1, Letter(device, static_cast<int64_t>(i)));
        received.emplace_back(device + 1, ' ');
      }
      Pieces pieces;
      for (size_t i = 0; i < count; ++i) {
        pieces.sent.push_back({{sent[i].data(), 1}, {sent[i].data() + 1, i}});
        pieces.received.push_back(
            {{received[i].data(), 1}, {received[i].data() + 1, static_cast<size_t>(device)}});
      }
      const absl::Status status = place.ExchangePieces(device, kExchange, devices, pieces);
      if (!status.ok()) return status;
      for (size_t i = 0; i < count; ++i)
        EXPECT_EQ(received[i], std::string(device + 1, Letter(static_cast<int64_t>(i), device)));
    }
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
}

// Everybody gets what all have, large pieces and short ones.
void ExpectTheSame(DevicesOfRun& run, size_t count) {
  std::vector<int64_t> devices = AllOf(count);
  std::swap(devices[0], devices[count - 1]);  // not in the order of their numbers
  const auto statuses = run.ForEach(devices, [&](int64_t device, Rendezvous& place) {
    for (const size_t size : {size_t{3}, size_t{100000}}) {
      const std::string own(size, Letter(device, 0));
      std::vector<std::string> received(count, std::string(size, ' '));
      Pieces pieces;
      pieces.sent.push_back({{own.data(), own.size()}});
      for (std::string& place_of_one : received)
        pieces.received.push_back({{place_of_one.data(), size}});
      auto pending = place.Begin(device, kExchange, devices, pieces);
      if (!pending.ok()) return pending.status();
      for (size_t i = 0; i < count; ++i) {
        const absl::Status status = (*pending)->Await(i);
        if (!status.ok()) return status;
        EXPECT_EQ(received[i], std::string(size, Letter(devices[i], 0)));
      }
      const absl::Status status = (*pending)->Finish();
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses) EXPECT_TRUE(status.ok()) << status;
}

class ExchangeTest : public testing::TestWithParam<std::vector<int>> {};

TEST_P(ExchangeTest, EachGetsItsOwnPieces) {
  DevicesOfRun run(GetParam());
  ExpectOwnPieces(run, GetParam().size());
}

TEST_P(ExchangeTest, AllGetTheSame) {
  DevicesOfRun run(GetParam());
  ExpectTheSame(run, GetParam().size());
}

TEST_P(ExchangeTest, ByGloo) {
  const int processes = DevicesOfRun::CountProcesses(GetParam());
  if (processes == 1) GTEST_SKIP() << "nothing is sent";
  auto transports = ConnectByGloo(processes);
  if (transports.empty()) GTEST_SKIP() << "Gloo is not there";
  DevicesOfRun run(GetParam(), std::move(transports), absl::Minutes(1));
  ExpectOwnPieces(run, GetParam().size());
  ExpectTheSame(run, GetParam().size());
}

INSTANTIATE_TEST_SUITE_P(Places, ExchangeTest,
                         testing::Values(std::vector<int>{0, 0, 0}, std::vector<int>{0, 1, 2},
                                         std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 0, 0, 1},
                                         std::vector<int>{0, 1, 0, 1, 2}));

// What is lent lies where its owner has it, who changes it when nobody reads any more.
TEST(RendezvousTest, LentPiecesStayWhereTheyAre) {
  constexpr size_t kCount = 4;
  DevicesOfRun run({0, 0, 0, 0});
  const std::vector<int64_t> devices = AllOf(kCount);
  std::vector<std::string> owned(kCount, std::string(1000, ' '));
  const auto statuses = run.ForEach(devices, [&](int64_t device, Rendezvous& place) {
    EXPECT_TRUE(place.ShareMemory(devices));
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::fill(owned[device].begin(), owned[device].end(), Letter(device, repetition % 5));
      const auto lent = place.Lend(device, kExchange, devices, {{{owned[device].data(), 1000}}});
      if (!lent.ok()) return lent.status();
      for (size_t i = 0; i < kCount; ++i) {
        const absl::Span<const char> piece = (*lent)->From(i)[0];
        EXPECT_EQ(piece.data(), owned[i].data());
        EXPECT_EQ(std::string(piece.begin(), piece.end()),
                  std::string(1000, Letter(static_cast<int64_t>(i), repetition % 5)));
      }
    }
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses) EXPECT_EQ(status, absl::OkStatus());
}

TEST(RendezvousTest, OtherProcessesShareNoMemory) {
  DevicesOfRun run({0, 0, 1});
  const auto statuses = run.ForEach({0, 1}, [&](int64_t, Rendezvous& place) {
    EXPECT_TRUE(place.ShareMemory({0, 1}));
    EXPECT_FALSE(place.ShareMemory({0, 1, 2}));
    return absl::OkStatus();
  });
  for (const absl::Status& status : statuses) EXPECT_EQ(status, absl::OkStatus());
}

TEST(RendezvousTest, PiecesOfOtherSizesAreRefused) {
  DevicesOfRun run({0, 0});
  const auto statuses = run.ForEach({0, 1}, [&](int64_t device, Rendezvous& place) {
    std::string sent(4, 'x'), received(device == 0 ? 4 : 5, ' ');
    Pieces pieces;
    pieces.sent.push_back({{sent.data(), sent.size()}});
    pieces.received.resize(2);
    pieces.received[1 - device].emplace_back(received.data(), received.size());
    return place.ExchangePieces(device, kExchange, {0, 1}, pieces);
  });
  EXPECT_TRUE(statuses[0].ok()) << statuses[0];
  EXPECT_EQ(statuses[1].code(), absl::StatusCode::kInvalidArgument);
}

// Process 2 never comes: both others end when one of them has waited for it.
TEST(RendezvousTest, AllLearnThatOneIsMissing) {
  DevicesOfRun run({0, 1, 2}, absl::Milliseconds(200));
  const absl::Time begin = absl::Now();
  const auto statuses = run.ForEach({0, 1}, [&](int64_t device, Rendezvous& place) {
    char sent = 'x';
    std::string received(3, ' ');
    Pieces pieces;
    pieces.sent.push_back({{&sent, 1}});
    for (char& letter : received) pieces.received.push_back({{&letter, 1}});
    return place.ExchangePieces(device, kExchange, {0, 1, 2}, pieces);
  });
  EXPECT_LT(absl::Now() - begin, absl::Seconds(20));
  for (const absl::Status& status : statuses) {
    EXPECT_THAT(std::string(status.message()), HasSubstr("all-to-all meeting (channel 5)"));
    EXPECT_THAT(std::string(status.message()), HasSubstr("of 3 failed receiving from process"));
  }
}

TEST(OverlappedCallsTest, RunInOrderBesideTheirCaller) {
  std::vector<int> order;
  {
    OverlappedCalls calls;
    std::mutex held;
    held.lock();
    calls.Begin(7, [&] {
      const std::lock_guard<std::mutex> lock(held);
      order.push_back(7);
      return absl::OkStatus();
    });
    calls.Begin(3, [&] {
      order.push_back(3);
      return absl::InternalError("of the second");
    });
    held.unlock();  // the first has not been waited for
    absl::Duration overlap;
    EXPECT_EQ(calls.Await(3, &overlap).message(), "of the second");
    EXPECT_TRUE(calls.Await(7, &overlap).ok());
    EXPECT_TRUE(calls.Await(5, &overlap).ok());
    // The same number again, which nobody awaits.
    calls.Begin(3, [&] {
      order.push_back(4);
      return absl::OkStatus();
    });
  }
  EXPECT_THAT(order, testing::AnyOf(testing::ElementsAre(7, 3, 4), testing::ElementsAre(7, 3)));
}

}  // namespace
}  // namespace xla::runtime
