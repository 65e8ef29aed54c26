// Ranges that walk containers of owning pointers as plain pointers.
#ifndef XLA_ITERATOR_UTIL_H_
#define XLA_ITERATOR_UTIL_H_

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

namespace xla {

// Two iterators as a range.
template <typename Iterator>
class iterator_range {
 public:
  iterator_range(Iterator begin, Iterator end) : begin_(std::move(begin)), end_(std::move(end)) {}
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }
  bool empty() const { return begin_ == end_; }

 private:
  Iterator begin_;
  Iterator end_;
};

template <typename Iterator>
iterator_range<Iterator> make_range(Iterator begin, Iterator end) {
  return iterator_range<Iterator>(std::move(begin), std::move(end));
}

// Walks `Container` (of unique_ptr) by position, so that elements may be appended during the walk.
template <typename Container, typename Element>
class UnwrappingRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Element*;
    using difference_type = std::ptrdiff_t;
    using pointer = Element**;
    using reference = Element*;

    Iterator() = default;
    Iterator(Container* container, size_t position) : container_(container), position_(position) {}
    Element* operator*() const { return (*container_)[position_].get(); }
    Iterator& operator++() {
      ++position_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++position_;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.position_ == b.position_;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) {
      return a.position_ != b.position_;
    }

   private:
    Container* container_ = nullptr;
    size_t position_ = 0;
  };

  explicit UnwrappingRange(Container* container) : container_(container) {}
  Iterator begin() const { return Iterator(container_, 0); }
  Iterator end() const { return Iterator(container_, container_->size()); }
  size_t size() const { return container_->size(); }
  bool empty() const { return container_->empty(); }

 private:
  Container* container_;
};

// Walks pointers that own as plain pointers: the iterator behind another one.
template <typename Nested>
class UnwrappingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = decltype(std::declval<Nested>()->get());
  using difference_type = std::ptrdiff_t;
  using pointer = value_type*;
  using reference = value_type;

  explicit UnwrappingIterator(Nested at) : at_(std::move(at)) {}
  value_type operator*() const { return at_->get(); }
  value_type operator->() const { return at_->get(); }
  UnwrappingIterator& operator++() {
    ++at_;
    return *this;
  }
  UnwrappingIterator operator++(int) {
    UnwrappingIterator old = *this;
    ++at_;
    return old;
  }
  friend bool operator==(const UnwrappingIterator& a, const UnwrappingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const UnwrappingIterator& a, const UnwrappingIterator& b) {
    return !(a == b);
  }

 private:
  Nested at_;
};

template <typename Nested>
UnwrappingIterator<Nested> MakeUnwrappingIterator(Nested at) {
  return UnwrappingIterator<Nested>(std::move(at));
}

// The same, without those of which the predicate is false.
template <typename Nested, typename Predicate>
class FilteringUnwrappingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = decltype(std::declval<Nested>()->get());
  using difference_type = std::ptrdiff_t;
  using pointer = value_type*;
  using reference = value_type;

  FilteringUnwrappingIterator(Nested at, Nested end, Predicate predicate)
      : at_(std::move(at)), end_(std::move(end)), predicate_(std::move(predicate)) {
    Settle();
  }
  value_type operator*() const { return at_->get(); }
  value_type operator->() const { return at_->get(); }
  FilteringUnwrappingIterator& operator++() {
    ++at_;
    Settle();
    return *this;
  }
  FilteringUnwrappingIterator operator++(int) {
    FilteringUnwrappingIterator old = *this;
    ++*this;
    return old;
  }
  friend bool operator==(const FilteringUnwrappingIterator& a,
                         const FilteringUnwrappingIterator& b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const FilteringUnwrappingIterator& a,
                         const FilteringUnwrappingIterator& b) {
    return !(a == b);
  }

 private:
  void Settle() {
    while (at_ != end_ && !predicate_(at_->get())) ++at_;
  }

  Nested at_;
  Nested end_;
  Predicate predicate_;
};

template <typename Nested, typename Predicate>
FilteringUnwrappingIterator<Nested, Predicate> MakeFilteringUnwrappingIterator(
    Nested begin, Nested end, Predicate predicate) {
  return FilteringUnwrappingIterator<Nested, Predicate>(std::move(begin), std::move(end),
                                                        std::move(predicate));
}

namespace internal {

template <typename Iterator>
class IndexedIterator {
 public:
  explicit IndexedIterator(Iterator at) : at_(std::move(at)) {}
  std::pair<int, decltype(*std::declval<Iterator&>())> operator*() const { return {index_, *at_}; }
  IndexedIterator& operator++() {
    ++at_;
    ++index_;
    return *this;
  }
  friend bool operator!=(const IndexedIterator& a, const IndexedIterator& b) {
    return a.at_ != b.at_;
  }

 private:
  mutable Iterator at_;
  int index_ = 0;
};

// `Range` is a reference, or a container that is kept here.
template <typename Range>
class IndexedRange {
 public:
  explicit IndexedRange(Range&& range) : range_(std::forward<Range>(range)) {}
  auto begin() const { return IndexedIterator(std::begin(range_)); }
  auto end() const { return IndexedIterator(std::end(range_)); }

 private:
  Range range_;
};

}  // namespace internal

// Pairs of the position and the element: for (auto [i, element] : WithIndex(container)).
template <typename Range>
internal::IndexedRange<Range> WithIndex(Range&& range) {
  return internal::IndexedRange<Range>(std::forward<Range>(range));
}

}  // namespace xla

#endif  // XLA_ITERATOR_UTIL_H_
