#include "http/script.hpp"

#include "core/identifiers.hpp"
#include "http/match_etag.hpp"

#include <string>
#include <string_view>

namespace turnout {

namespace {

// Calls made before the script is there wait in `svc.q`, see README. The pixel
// is asked for where the script came from. Images are kept in a list until they
// are loaded, so that no browser drops them.
constexpr std::string_view script = R"js((function (w, d) {
  'use strict';
  var pattern = /\/c\.js([?#].*)?$/;
  var self = d.currentScript;
  if (!self) {
    var all = d.getElementsByTagName('script');
    for (var i = all.length - 1; i >= 0 && !self; i--)
      if (pattern.test(all[i].src)) self = all[i];
  }
  var base = self && self.src ? self.src.replace(pattern, '') : '';
  var names = ['click_id', 'event_id', 'value', 'currency'];
  var pending = [];

  function convert(link, options) {
    var query = [];
    for (var i = 0; i < names.length; i++) {
      var x = options ? options[names[i]] : null;
      if (x !== undefined && x !== null && x !== '')
        query.push(names[i] + '=' + encodeURIComponent(x));
    }
    var image = new Image();
    function done() {
      var i = pending.indexOf(image);
      if (i >= 0) pending.splice(i, 1);
    }
    image.onload = image.onerror = done;
    pending.push(image);
    image.src = base + '/c/' + encodeURIComponent(link) + '.gif'
      + (query.length ? '?' + query.join('&') : '');
  }

  function svc(command, link, options) {
    if (command === 'convert' && link) convert(link, options);
  }

  var waiting = (w.svc && w.svc.q) || [];
  w.svc = svc;
  for (var i = 0; i < waiting.length; i++) svc.apply(null, waiting[i]);
})(window, document);
)js";

const std::string& entity_tag() {
  static const auto result
    = '"' + sha256_hex(std::string{script}).substr(0, 16) + '"';
  return result;
}

} // namespace

response script_answer(const request& in) {
  const auto is_known = matches_etag(in.if_none_match, entity_tag());
  response result{is_known ? 304 : 200};
  // For pages of any site, which may ask for its integrity.
  result.header("Cache-Control", "public, max-age=3600")
    .header("ETag", entity_tag())
    .header("Access-Control-Allow-Origin", "*")
    .header("Cross-Origin-Resource-Policy", "cross-origin");
  if (!is_known)
    result.content("text/javascript; charset=utf-8", std::string{script});
  return result;
}

} // namespace turnout
