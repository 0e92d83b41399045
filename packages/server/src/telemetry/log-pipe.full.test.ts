/** Tests the log of a process that exits, and of one whose log is not read. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

const LINES = 20_000
const LOG = JSON.stringify(new URL('./log.ts', import.meta.url).href)

/** Starts a program with a `log`, and with a function that writes `count` lines to it. */
const program = (rest: string, shared = false) =>
  spawn(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `const { createLog } = await import(${LOG})
      const log = createLog({ level: 'info', pretty: false, shared: ${shared} })
      const write = (count) => { for (let at = 0; at < count; at++) log.info({ at, text: 'é'.repeat(at % 50) }, 'line') }
      ${rest}`,
    ],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )

for (const shared of [false, true]) {
  test(`every line of a process that exits arrives, complete and in order${shared ? ', in writes of 4 KiB' : ''}`, async () => {
    const child = program(`write(${LINES}); log.warn('last'); process.exit()`, shared)
    const lines = (await text(child.stderr)).trimEnd().split('\n')
    const read = lines.map((line) => JSON.parse(line))
    assert.equal(read.pop()?.msg, 'last')
    assert.deepEqual(
      read.map(({ at }) => at),
      Array.from({ length: LINES }, (_, at) => at),
    )
    assert.equal(read[49]?.text, 'é'.repeat(49))
  })
}

test('a process that exits waits for a slow reader, but not for one that has stopped', async () => {
  const child = program(`write(${LINES}); log.warn('last'); process.exit()`)
  // Each pause is shorter than the time that the process waits for its reader to continue; together they are longer.
  let pauses = 3
  let said = ''
  for await (const piece of child.stderr) {
    said += String(piece)
    if (pauses-- > 0) await sleep(600)
  }
  assert.match(said, /"msg":"last"\}\n$/)

  const silent = program(`write(${LINES}); process.exit(7)`)
  silent.stderr.pause()
  const [code] = await once(silent, 'exit')
  assert.equal(code, 7)
})

test('a single line is written at once, and a line that is longer than a block is written as a whole', async () => {
  const child = program("log.info('first'); log.info('x'.repeat(100_000)); setInterval(() => {}, 1e6)")
  let said = ''
  for await (const piece of child.stderr) {
    said += String(piece)
    if (said.endsWith('\n') && said.split('\n').length === 3) break
  }
  child.kill('SIGKILL')
  assert.match(said, /"msg":"first"\}\n.*"msg":"x{100000}"\}\n$/)
})

test('a process whose log is not read continues, and drops lines instead of using more memory', async () => {
  const child = program(`for (let i = 0; i < 20; i++) { write(${LINES}); await new Promise(setImmediate) }
    process.stdout.write(String(process.memoryUsage().rss))
    setInterval(() => {}, 1e6)`)
  child.stderr.pause()
  const [rss] = await once(child.stdout, 'data')
  // It wrote some 60 MB.
  assert.ok(Number(rss) < 250e6, `${rss} bytes`)
  child.kill('SIGKILL')
})

test('blocks are reused, so a log that sometimes waits for its reader leaves no garbage', async () => {
  const bursts = 20
  const child = program(
    `for (let burst = 0; burst < ${bursts}; burst++) {
      write(${LINES})
      await new Promise((read) => process.stdin.once('data', read))
    }
    process.stdout.write(String(process.memoryUsage().arrayBuffers))
    process.stdin.destroy()`,
    true,
  )
  // The next burst begins when this one was read, however slow the machine is.
  let lines = 0
  for await (const piece of child.stderr) {
    lines += String(piece).split('\n').length - 1
    if (lines % LINES === 0) child.stdin.write('read')
  }
  assert.equal(lines, bursts * LINES)
  // A burst has 3 MB.
  const bytes = Number(await text(child.stdout))
  assert.ok(bytes > 0 && bytes < 10e6, `${bytes} bytes`)
})
