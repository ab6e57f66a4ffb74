#include "identity/fetch.hpp"

#include <curl/curl.h>

#include <array>
#include <memory>

namespace turnout::identity {

namespace {

constexpr size_t max_bytes = 1024 * 1024;

constexpr long connect_seconds = 3;

constexpr long total_seconds = 5;

constexpr long max_redirects = 3;

struct release_handle {
  void operator()(CURL* x) const noexcept {
    curl_easy_cleanup(x);
  }
};

size_t on_data(char* data, size_t size, size_t n, void* out) {
  auto& text = *static_cast<std::string*>(out);
  // Taking less than all is how to say that it is too much.
  if (text.size() + size * n > max_bytes)
    return 0;
  text.append(data, size * n);
  return size * n;
}

int on_progress(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return *static_cast<const std::atomic<bool>*>(stop) ? 1 : 0;
}

} // namespace

caf::expected<std::string> fetch(const std::string& url,
                                 const std::atomic<bool>& stop) {
  static const auto ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  const std::unique_ptr<CURL, release_handle> handle{ready ? curl_easy_init()
                                                           : nullptr};
  if (!handle)
    return make_error(ec::unavailable, "the HTTP client cannot be started");
  auto* curl = handle.get();
  std::string body;
  std::array<char, CURL_ERROR_SIZE> reason{};
  const auto* schemes = url.starts_with("https:") ? "https" : "http,https";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1l);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1l);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, schemes);
  // Not from https to http.
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, schemes);
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1l);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, max_redirects);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, connect_seconds);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, total_seconds);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, reason.data());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_data);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0l);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA,
                   const_cast<std::atomic<bool>*>(&stop));
  const auto code = curl_easy_perform(curl);
  if (code == CURLE_OK)
    return body;
  return make_error(ec::unavailable, reason[0] != '\0'
                                       ? reason.data()
                                       : curl_easy_strerror(code));
}

} // namespace turnout::identity
