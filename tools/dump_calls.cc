// Writes the described calls as JSON: what tools/generate makes Python's calls, their help and the reference
// of.
#include <cstdio>
#include <string>

#include <cantik/call_registry.h>

#include "option_json.h"

namespace {

using namespace cantik::json;

std::string argument(const cantik::CallArgument& a) {
  return "{\"option\": " + option(a.option) + ", \"owner\": " + quoted(a.owner) +
         ", \"annotation\": " + quoted(a.annotation) + ", \"spelled\": " + quoted(a.spelled) + "}";
}

std::string call(const cantik::CallDescription& d) {
  return "\n{\"name\": " + quoted(d.name) + ", \"module\": " + quoted(d.module) +
         ", \"form\": " + quoted(d.form) + ", \"cpp\": " + quoted(d.cpp) + ", \"doc\": " + quoted(d.doc) +
         ", \"returns\": " + quoted(d.returns) + ", \"raises\": " + quoted(d.raises) +
         ", \"example\": " + quoted(d.example) + ", \"result\": " + quoted(d.result) +
         ", \"body\": " + quoted(d.body) + ", \"arguments\": " + listed(d.arguments, argument) + "}";
}

}  // namespace

int main() { std::printf("%s\n", listed(cantik::described_calls(), call).c_str()); }
