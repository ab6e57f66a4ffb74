// The head of a request: what our own scanner takes, the parser of the HTTP
// library takes in the same way.

#include "http/request.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/http/reading.hpp"

#include <string>

using namespace turnout;
using namespace turnout::test;

namespace {

/// Sorts out the headers as the listener does; every view must be alive.
void check_headers(const reading& x) {
  request in;
  in.set_target(x.target);
  auto bytes = x.target.size();
  size_t keys = 0;
  size_t forwarded = 0;
  for (const auto& [name, value] : x.headers) {
    const auto before = in.header_bytes;
    const auto before_keys = in.api_keys;
    in.add_header(name, value, "CF-IPCountry");
    if (in.api_keys == before_keys)
      bytes += name.size() + value.size() + 4;
    else
      ++keys;
    HOLDS(in.header_bytes >= before);
    if (name.size() == 15 && (name[0] == 'X' || name[0] == 'x')
        && (name[2] == 'F' || name[2] == 'f'))
      ++forwarded;
  }
  HOLDS(in.header_bytes == bytes);
  HOLDS(static_cast<size_t>(in.api_keys) == keys);
  HOLDS(in.forwarded_for.size() <= forwarded);
  // Reads every byte that is pointed at.
  std::string all;
  for (auto text : {in.user_agent, in.referer, in.accept, in.cookies,
                    in.content_type, in.api_key, in.idempotency_key,
                    in.authorization, in.client_key, in.real_ip, in.country})
    all += text;
  for (auto text : in.forwarded_for)
    all += text;
  HOLDS(in.api_key.empty()
        || (in.api_key.front() != ' ' && in.api_key.back() != ' '));
}

} // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto parsed = parse(text);
  if (const auto scanned = scan(text)) {
    HOLDS(parsed.has_value());
    HOLDS(*scanned == *parsed);
    HOLDS(scanned->size <= size);
    HOLDS(scanned->target.starts_with('/'));
    // What follows makes no difference.
    HOLDS(scan(text.substr(0, scanned->size)) == scanned);
    HOLDS(!scan(text.substr(0, scanned->size - 1)));
  }
  if (parsed)
    check_headers(*parsed);
  return 0;
}
