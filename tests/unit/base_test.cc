// Containers: lists whose elements keep their place in memory, and maps that reading does not grow.
#include "compiler/base/id.h"
#include "compiler/base/list.h"
#include "tests/unit/test.h"

using namespace raido;

namespace {

std::vector<int> items(const List<int>& list) { return {list.begin(), list.end()}; }

}  // namespace

TEST_CASE("a list takes elements in and out and moves none") {
  List<int> list, more;
  for (int k : {1, 2, 2, 3}) list.push_back(k);
  const int *second = &list[1], *third = &list[2];
  list.insert(0, 9);
  EXPECT(items(list) == std::vector<int>{9, 1, 2, 2, 3});
  for (int k : {7, 8}) more.push_back(k);
  const int* seven = &more[0];
  list.splice(2, std::move(more));
  EXPECT(items(list) == std::vector<int>{9, 1, 7, 8, 2, 2, 3});
  EXPECT(&list[2] == seven);
  EXPECT(&list[4] == second);
  list.erase(*second);                                   // this one, not its equal
  EXPECT(items(list) == std::vector<int>{9, 1, 7, 8, 2, 3});
  EXPECT(&list[4] == third);
  list.insert(list.size(), 4);
  EXPECT(list.back() == 4);
}

TEST_CASE("a map that is read stays as it is") {
  IdMap<Id<struct TestTag>, int> map;
  map[{3}] = 5;
  const int& five = map.at({3});
  EXPECT(map.at({1000}) == 0);
  EXPECT(&five == &map.at({3}));
  EXPECT(five == 5);
}
