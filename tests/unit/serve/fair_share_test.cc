// Where requests stand in line: by what their addresses and connections have used lately.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "serve/fair_share.h"

namespace cantik::serve {
namespace {

constexpr double kRun = 1e-3;  // seconds

struct ManyClients {
  Clients clients;
  Clock::time_point now = Clock::time_point(std::chrono::hours(1));

  std::shared_ptr<Client> from(unsigned char address) { return clients.enter(AddressKey{address}, now); }
  void pass(double seconds) {
    now += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  // Seconds between the coming of a request and where it stands.
  double behind(Client& client) {
    return std::chrono::duration<double>(client.line_up(kRun, now) - now).count();
  }
  void ask(Client& client, int times) {
    for (int i = 0; i < times; ++i) client.line_up(kRun, now);
  }
};

TEST(FairShare, UseHalvesInItsHalfLife) {
  RecentUse use(2);
  const Clock::time_point now = Clock::time_point(std::chrono::hours(1));
  EXPECT_EQ(use.at(now), 0);
  use.add(8, now);
  EXPECT_DOUBLE_EQ(use.at(now + std::chrono::seconds(2)), 4);
  use.add(1, now + std::chrono::seconds(4));
  EXPECT_DOUBLE_EQ(use.at(now + std::chrono::seconds(4)), 3);
  // An earlier time, of another thread, neither raises what is there nor turns the clock back.
  EXPECT_DOUBLE_EQ(use.at(now), 3);
  use.add(-9, now);
  EXPECT_EQ(use.at(now + std::chrono::seconds(4)), 0);
}

TEST(FairShare, TheFirstRequestStandsWhereItComes) {
  ManyClients m;
  EXPECT_EQ(m.behind(*m.from(1)), 0);
}

TEST(FairShare, OfOneAddressTheConnectionThatAsksLessGoesFirst) {
  ManyClients m;
  const auto quiet = m.from(1), busy = m.from(1);
  m.ask(*quiet, 100);
  m.ask(*busy, 400);
  const double of_quiet = m.behind(*quiet), of_busy = m.behind(*busy);
  // Four times as much is two doublings, of two seconds each, of which a connection has a quarter.
  EXPECT_NEAR(of_busy - of_quiet, 2 * 2 * 0.25, 0.03);
  // Long afterwards both are as new.
  m.pass(60);
  EXPECT_NEAR(m.behind(*busy), 0, 1e-3);
}

TEST(FairShare, AnAddressGainsNothingByManyConnections) {
  ManyClients m;
  const auto alone = m.from(1);
  m.ask(*alone, 50);
  std::vector<std::shared_ptr<Client>> many;
  for (int i = 0; i < 1000; ++i) m.ask(*many.emplace_back(m.from(2)), 1);
  EXPECT_LT(m.behind(*alone), m.behind(*many[0]));
}

TEST(FairShare, ConnectingAnewWashesNothingOff) {
  ManyClients m;
  const auto quiet = m.from(1);
  m.ask(*quiet, 10);
  for (int i = 0; i < 200; ++i) {
    const auto once = m.from(1);
    m.ask(*once, 1);
    once->leave(m.now);
  }
  const auto again = m.from(1);
  EXPECT_LT(m.behind(*quiet), m.behind(*again));
  // A connection that stays soon counts for itself alone.
  const auto stays = m.from(1);
  m.pass(1);
  m.ask(*quiet, 10);
  EXPECT_GT(m.behind(*quiet), m.behind(*stays));
}

TEST(FairShare, RequestsOfAConnectionKeepTheirOrder) {
  ManyClients m;
  const auto a = m.from(1), b = m.from(1);
  Clock::time_point last = {};
  for (int i = 0; i < 50; ++i) {
    m.ask(*b, 3);
    const Clock::time_point stands = a->line_up(kRun, m.now);
    EXPECT_GE(stands, last);
    last = stands;
    for (int k = 0; k < 3; ++k) b->give_back(kRun, m.now, m.now);
    m.pass(i % 7 * 0.01);
  }
}

TEST(FairShare, ARefusedRequestCostsNoRun) {
  ManyClients m;
  const auto refused = m.from(1), answered = m.from(2);
  for (int i = 0; i < 100; ++i) {
    m.ask(*refused, 1);
    refused->give_back(kRun, m.now, m.now);
    m.ask(*answered, 1);
  }
  const double of_refused = m.behind(*refused), of_answered = m.behind(*answered);
  EXPECT_LT(of_refused, of_answered);
  EXPECT_GT(of_refused, 0);  // but reading it did
}

TEST(FairShare, AddressesWithoutUseAreForgotten) {
  ManyClients m;
  const auto stays = m.from(0);
  for (int i = 1; i < 200; ++i) {
    m.ask(*m.from(static_cast<unsigned char>(i)), 1);
    m.pass(30);
  }
  EXPECT_LT(m.clients.addresses(), 70u);
  // A connection that is open is still known by its address.
  m.ask(*stays, 100);
  EXPECT_GT(m.behind(*m.from(0)), 0);
  EXPECT_EQ(stays->address().connections, 1);
}

}  // namespace
}  // namespace cantik::serve
