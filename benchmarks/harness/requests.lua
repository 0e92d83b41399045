-- Sends requests from a prepared file, for wrk: FILE FIRST MOST. Each request is its length, a line end, and its bytes.
-- It starts with request FIRST (from 0), and after the last one begins again. MOST 0 means without a limit.
-- Prints "ready" when the file is read, waits for a line, and prints its figures as JSON at the end.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  requests = {}
  local file = assert(io.open(args[1], "rb"))
  while true do
    local length = file:read("*n")
    if not length then break end
    file:read(1)
    requests[#requests + 1] = file:read(length)
  end
  file:close()
  next_one = tonumber(args[2])
  sent = 0
  most = tonumber(args[3])
  io.stdout:write("ready\n")
  io.stdout:flush()
  io.stdin:read("*l")
end

function request()
  sent = sent + 1
  if most > 0 and sent > most then wrk.thread:stop() end
  local found = requests[next_one % #requests + 1]
  next_one = next_one + 1
  return found
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"status":%d,"broken":%d,"next":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, threads[1]:get("next_one")))
end
