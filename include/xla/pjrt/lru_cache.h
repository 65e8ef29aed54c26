// A cache that forgets what has not been used for longest.
#ifndef XLA_PJRT_LRU_CACHE_H_
#define XLA_PJRT_LRU_CACHE_H_

#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

#include "absl/hash/hash.h"

namespace xla {

// Several caches may share one list, which says how many entries they have together. Not for
// several threads at once.
template <typename Key, typename Value, typename Hash = absl::Hash<Key>,
          typename Eq = std::equal_to<Key>>
class LRUCache {
 public:
  // The entries of the caches that use it, the one used last first. It must outlive them.
  class LRUList {
   public:
    explicit LRUList(int capacity) : capacity_(capacity) {}
    LRUList(const LRUList&) = delete;
    LRUList& operator=(const LRUList&) = delete;

    int Capacity() const { return capacity_; }
    int Size() const { return static_cast<int>(entries_.size()); }
    // Takes all entries out of their caches.
    void Clear() {
      while (!entries_.empty()) DropLast();
    }

   private:
    friend class LRUCache;
    struct Entry {
      LRUCache* cache;
      Key key;
      Value value;
    };
    void DropLast() {
      entries_.back().cache->places_.erase(entries_.back().key);
      entries_.pop_back();
    }

    const int capacity_;
    std::list<Entry> entries_;
  };

  explicit LRUCache(LRUList* lru_list) : list_(lru_list) {}
  ~LRUCache() { Clear(); }
  LRUCache(const LRUCache&) = delete;
  LRUCache& operator=(const LRUCache&) = delete;

  // The value of the key, which factory(key) makes where there is none. It must not use the list.
  Value GetOrCreateIfAbsent(const Key& key, const std::function<Value(const Key&)>& factory) {
    const auto found = places_.find(key);
    if (found != places_.end()) {
      list_->entries_.splice(list_->entries_.begin(), list_->entries_, found->second);
      return found->second->value;
    }
    list_->entries_.push_front({this, key, factory(key)});
    places_.emplace(key, list_->entries_.begin());
    Value value = list_->entries_.front().value;
    while (list_->Size() > list_->Capacity()) list_->DropLast();
    return value;
  }

  // Whether there was an entry.
  bool Remove(const Key& key) {
    const auto found = places_.find(key);
    if (found == places_.end()) return false;
    list_->entries_.erase(found->second);
    places_.erase(found);
    return true;
  }

  // In any order.
  void ForEach(const std::function<void(const Key&, const Value&)>& visit) const {
    for (const auto& [key, place] : places_) visit(key, place->value);
  }

  void Clear() {
    for (const auto& [key, place] : places_) list_->entries_.erase(place);
    places_.clear();
  }
  int Size() const { return static_cast<int>(places_.size()); }

 private:
  LRUList* const list_;
  std::unordered_map<Key, typename std::list<typename LRUList::Entry>::iterator, Hash, Eq> places_;
};

}  // namespace xla

#endif  // XLA_PJRT_LRU_CACHE_H_
