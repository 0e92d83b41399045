/** Tests the metrics of several worker processes: one page, a series for each. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventuallyPasses } from '../support/eventually.ts'
import { scrape } from '../support/observed.ts'
import { testProgram } from '../support/program.ts'

const METRICS = { RATAFIA_METRICS_PORT: '0' }

const program = testProgram()

test('the supervisor serves the series of each worker, and continues when one is stopped or dies', async () => {
  const service = await program.start({ RATAFIA_WORKERS: '2', ...METRICS })
  const [, url] = /"url":"([^"]+)","msg":"serving metrics"/.exec(service.stderr()) ?? []
  const up = (at: number) => scrape(url).then((page) => page.get(`ratafia_worker_up{worker="${at}"}`))
  // The first worker has reported where they listen.
  await eventuallyPasses(async () => assert.deepEqual([await up(1), await up(2)], [1, 1]))
  const requests = async () =>
    [...(await scrape(url))]
      .filter(([name]) => /^ratafia_http_requests_total\{.*route="\/".*worker="[12]"\}$/.test(name))
      .reduce((sum, [, value]) => sum + value, 0)
  for (let at = 0; at < 10; at++) await fetch(service.baseUrl, { headers: { connection: 'close' } })
  await eventuallyPasses(async () => assert.equal(await requests(), 10))

  const starts = async () => {
    const page = await scrape(url)
    return [1, 2].map((worker) => page.get(`process_start_time_seconds{worker="${worker}"}`))
  }
  const before = await starts()
  const pids = [...service.stderr().matchAll(/"pid":(\d+),.*"msg":"request"/g)].map(([, pid]) => Number(pid))
  const pid = pids[0] ?? assert.fail('no worker')
  // It does not answer, but does not delay the others.
  process.kill(pid, 'SIGSTOP')
  const stopped = await scrape(url)
  const ups = [1, 2].map((worker) => stopped.get(`ratafia_worker_up{worker="${worker}"}`))
  assert.deepEqual(ups.toSorted(), [0, 1])
  assert.equal([...stopped.keys()].filter((name) => name.startsWith('process_start_time_seconds{')).length, 1)
  process.kill(pid, 'SIGCONT')
  await eventuallyPasses(async () => assert.deepEqual([await up(1), await up(2)], [1, 1]))

  process.kill(pid, 'SIGKILL')
  // While it is gone, the other one is still visible.
  const during = await scrape(url)
  assert.deepEqual(
    [1, 2].filter((worker) => during.has(`ratafia_worker_up{worker="${worker}"}`)),
    [1, 2],
  )
  await eventuallyPasses(async () => assert.deepEqual([await up(1), await up(2)], [1, 1]))
  await eventuallyPasses(async () => assert.notDeepEqual(await starts(), before))
  const { end } = service
  assert.equal((await end('SIGTERM')).code, 0)
})

test('the start fails with exit code 4 if the port is in use', async () => {
  const service = await program.start({ RATAFIA_WORKERS: '1', ...METRICS })
  const portOf = () => /:(\d+)\/metrics"/.exec(service.stderr())?.[1]
  await eventuallyPasses(async () => assert.ok(portOf()))
  const port = portOf() ?? ''
  for (const workers of ['1', '2']) {
    const environment = { RATAFIA_WORKERS: workers, RATAFIA_METRICS_PORT: port }
    const { code, stderr } = await program.run(['serve'], { environment })
    assert.equal(code, 4, stderr)
    assert.match(stderr, /EADDRINUSE|address already in use|another program uses the port/)
  }
  await service.end('SIGTERM')
})
