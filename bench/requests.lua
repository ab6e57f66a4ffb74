-- For wrk: sends the precomputed requests of the file $BENCH_REQUESTS, which
-- are divided by the byte 0x1e, one after the other.
local requests = {}
local next_request = 0

function init()
  local file = assert(io.open(os.getenv("BENCH_REQUESTS"), "rb"))
  local text = file:read("*a")
  file:close()
  for request in text:gmatch("[^\30]+") do
    requests[#requests + 1] = request
  end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency)
  local failed = summary.errors
  io.write(string.format(
    'JSON {"answered": %d, "seconds": %.6f, "p50_ms": %.3f, "p99_ms": %.3f, '
      .. '"p999_ms": %.3f, "max_ms": %.3f, "status_errors": %d, "failed": %d}\n',
    summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    latency:percentile(99.9) / 1000, latency.max / 1000, failed.status,
    failed.connect + failed.read + failed.write + failed.timeout))
end
