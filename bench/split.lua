-- One visit of the hand-made split test; Debian has no Redis client for nginx,
-- so this speaks the protocol itself, over connections that are kept.
local slug = ngx.var.uri:sub(2)
local redis = ngx.socket.tcp()
if not redis:connect("unix:" .. ngx.var.redis_socket, { pool_size = 128 }) then
  return ngx.exit(503)
end

local function command(...)
  local parts = { "*", select("#", ...), "\r\n" }
  for i = 1, select("#", ...) do
    local text = tostring((select(i, ...)))
    parts[#parts + 1] = "$" .. #text .. "\r\n" .. text .. "\r\n"
  end
  if not redis:send(parts) then
    return nil
  end
  local line = redis:receive("*l")
  if not line or line:sub(1, 1) ~= "$" or line == "$-1" then
    return nil
  end
  local text = redis:receive(tonumber(line:sub(2)) + 2)
  return text and text:sub(1, -3)
end

-- "50 https://...\n30 https://...\n"
local link = command("GET", "link:" .. slug)
if not link then
  redis:setkeepalive(0, 128)
  return ngx.exit(404)
end
local draw = math.random(100)
local chosen
for weight, url in link:gmatch("(%d+) (%S+)") do
  chosen = url
  draw = draw - tonumber(weight)
  if draw <= 0 then
    break
  end
end
local headers = ngx.req.get_headers()
local visit = command("XADD", "visits", "MAXLEN", "~", "1000000", "*",
  "slug", slug, "url", chosen, "address", headers["X-Forwarded-For"] or "",
  "agent", headers["User-Agent"] or "", "referrer", headers["Referer"] or "")
redis:setkeepalive(0, 128)
if not visit then
  return ngx.exit(503)
end
ngx.header["Cache-Control"] = "no-store"
return ngx.redirect(chosen, 302)
