// Teams of threads.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/thread_pool.h"

using namespace cantik;

namespace {

TEST(Team, every_member_runs_every_call) {
  Team team(4);
  ASSERT_EQ(4, team.size());
  std::atomic<int> sum{0};
  for (int i = 0; i < 200; ++i) team.run([&](int member) { sum += member + 1; });
  EXPECT_EQ(200 * 10, sum.load());
}

TEST(Team, of_one_is_the_caller) {
  Team team(1);
  std::thread::id id;
  team.run([&](int) { id = std::this_thread::get_id(); });
  EXPECT_EQ(std::this_thread::get_id(), id);
}

TEST(Team, hands_an_exception_to_the_caller_and_goes_on) {
  Team team(3);
  EXPECT_THROW(team.run([&](int member) {
    if (member == 2) throw std::runtime_error("two");
  }),
               std::runtime_error);
  std::atomic<int> calls{0};
  team.run([&](int) { ++calls; });
  EXPECT_EQ(3, calls.load());
}

// A thread that the system does not let run: a signal holds it.
std::atomic<bool> held{false}, release{false};
void hold(int) {
  held = true;
  while (!release) usleep(1000);
}

TEST(Team, does_itself_what_no_worker_begins) {
  const pthread_t self = pthread_self();
  pthread_t other{};
  {
    Team team(2);
    ASSERT_EQ(2, team.size());
    for (bool came = false; !came;)  // until the worker has been quick enough
      team.run([&](int member) {
        if (member == 0)
          usleep(2000);
        else if (!pthread_equal(pthread_self(), self))
          other = pthread_self(), came = true;
      });
  }
  held = release = false;
  auto before = std::signal(SIGUSR1, hold);
  ASSERT_EQ(0, pthread_kill(other, SIGUSR1));
  while (!held) usleep(1000);
  for (int i = 0; i < 3; ++i) {  // ends while the worker is still held, or not at all
    Team team(2);
    int calls[2] = {0, 0};
    for (int k = 0; k < 5; ++k)
      team.run([&](int member) { calls[member] += pthread_equal(self, pthread_self()) ? 1 : 100; });
    EXPECT_EQ(5, calls[0]);
    EXPECT_EQ(5, calls[1]);
    EXPECT_THROW(team.run([](int member) {
      if (member == 1) throw std::runtime_error("one");
    }),
                 std::runtime_error);
  }
  release = true;
  std::signal(SIGUSR1, before);
}

TEST(Team, does_every_part_once_however_teams_come_and_go) {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 3; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        Team team(3);
        for (int k = 0; k < i % 4; ++k) {
          int calls[3] = {0, 0, 0};  // written by whoever does the part, read when all are done
          team.run([&](int member) { ++calls[member]; });
          for (int m = 0; m < team.size(); ++m) wrong += calls[m] != 1;
        }
      }
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(0, wrong.load());
}

TEST(Team, nests) {
  std::atomic<int> inner{0};
  Team outer(2);
  outer.run([&](int) {
    Team team(2);
    team.run([&](int) { ++inner; });
  });
  EXPECT_EQ(4, inner.load());
}

TEST(Team, a_forked_child_has_threads_of_its_own) {
  {
    Team team(3);
    team.run([](int) {});
  }
  pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a child that waits for its parent's threads is killed
    std::atomic<int> calls{0};
    Team team(3);
    team.run([&](int) { ++calls; });
    _exit(calls.load() == team.size() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Team, nobody_works_between_calls) {
  {
    Team team(4);
    team.run([](int) {});
  }
  auto used = [] {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
  };
  double before = used();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_LT(used() - before, 30) << "milliseconds of processor time while nothing runs";
}

}  // namespace
