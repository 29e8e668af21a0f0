// Profiles: events, times of functions, memory.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <cantik/cantik.h>

using namespace cantik;

namespace {

struct ProfiledModel {
  Variable x = input({3}, {.name = "x"});
  Function z = layers::sequential({layers::dense(4, {.name = "one"}), layers::dense(2, {.name = "two"})})(x);
};
Feeds data(const ProfiledModel& m) {
  return {{m.x, Value::batch<float>({1, 3}, std::vector<float>{1, 2, 3})}};
}

bool profile_contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Profile, records_while_it_is_asked_to) {
  const ProfiledModel m;
  m.z.eval(data(m));
  Profile profile;
  m.z.eval(data(m));
  profile.pause();
  const size_t count = profile.events().size();
  EXPECT_GT(count, 0u);
  EXPECT_GT(profile.memory(), 0u);
  EXPECT_GT(profile.kept().bytes, 0u);
  m.z.eval(data(m));
  EXPECT_EQ(profile.events().size(), count);
  profile.resume();
  profile.resume();
  m.z.eval(data(m));
  EXPECT_EQ(profile.events().size(), 2 * count);
  int64_t calls = 0, longest = INT64_MAX;
  for (const ProfileRow& r : profile.rows()) {
    calls += r.calls;
    EXPECT_LE(r.nanoseconds, longest);
    longest = r.nanoseconds;
  }
  EXPECT_EQ(calls, static_cast<int64_t>(2 * count));
  EXPECT_TRUE(profile_contains(profile.table(), "memory at its peak"));
  EXPECT_TRUE(profile.trace().starts_with("{\"traceEvents\": [{\"name\": \""));
}

TEST(Profile, several_at_once) {
  const ProfiledModel m;
  Profile outer;
  {
    Profile inner;
    m.z.eval(data(m));
    EXPECT_FALSE(inner.events().empty());
  }
  const size_t count = outer.events().size();
  m.z.eval(data(m));
  EXPECT_GT(outer.events().size(), count);
}

TEST(Profile, times_of_functions) {
  const ProfiledModel m;
  time_functions(true);
  m.z.eval(data(m));
  time_functions(false);
  const std::vector<NodeTime> times = function_times();
  EXPECT_FALSE(times.empty());
  m.z.eval(data(m));
  EXPECT_EQ(function_times().size(), times.size());
  for (const NodeTime& t : times) EXPECT_TRUE(find_by_uid(m.z, t.uid, -1) && !t.kernel.empty()) << t.uid;
  time_functions(true);
  time_functions(false);
  EXPECT_TRUE(function_times().empty());
}

}  // namespace
