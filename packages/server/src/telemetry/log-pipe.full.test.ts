/** Tests the log of a process that exits, and of one whose log is not read. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { promisify } from 'node:util'

const LINES = 20_000
const LOG = JSON.stringify(new URL('./log.ts', import.meta.url).href)
/** The capacity of a named pipe. */
const PIPE_BYTES = 65_536
/** Less than the log writes at once. */
const READ_BYTES = 8_192

/** Returns Node's arguments for a program with a `log`, and with a function that writes `count` lines to it. */
const source = (rest: string, shared = false) => [
  '--input-type=module',
  '-e',
  `const { createLog } = await import(${LOG})
  const log = createLog({ level: 'info', pretty: false, shared: ${shared} })
  const write = (count) => { for (let at = 0; at < count; at++) log.info({ at, text: 'é'.repeat(at % 50) }, 'line') }
  ${rest}`,
]

const program = (rest: string, shared = false) =>
  spawn(process.execPath, source(rest, shared), { stdio: ['pipe', 'pipe', 'pipe'] })

/** Asserts that all lines of `write(LINES)` and then the line `last` arrived, complete and in order. */
function assertComplete(said: string): void {
  const lines = said.trimEnd().split('\n')
  const read = lines.map((line) => JSON.parse(line))
  assert.equal(read.pop()?.msg, 'last')
  assert.deepEqual(
    read.map(({ at }) => at),
    Array.from({ length: LINES }, (_, at) => at),
  )
  assert.equal(read[49]?.text, 'é'.repeat(49))
}

for (const shared of [false, true]) {
  test(`every line of a process that exits arrives, complete and in order${shared ? ', in writes of 4 KiB' : ''}`, async () => {
    const child = program(`write(${LINES}); log.warn('last'); process.exit()`, shared)
    assertComplete(await text(child.stderr))
  })
}

/**
 * Runs a program that reads its own log, and returns the log. The log is a named pipe. Reader and writer take turns,
 * because the program reads when it would sleep until the pipe has room. Its clock advances only then, by 600 ms at
 * each of the first three times. A process that exits waits longer than that for its reader, but not three times as
 * long. A write takes place at once, and its callback is called later. When the pipe is full, `full` is called.
 */
async function readsItself(rest: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'ratafia-test-'))
  const [pipe, taken] = [join(directory, 'pipe'), join(directory, 'taken')]
  await promisify(execFile)('mkfifo', [pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  // Open for reading too, so that the program can read from it.
  const [stdout, stderr] = [openSync(taken, 'w'), openSync(pipe, 'r+')]
  try {
    const words = source(`const { default: fs } = await import('node:fs')
      const { syncBuiltinESMExports } = await import('node:module')
      const bytes = Buffer.alloc(${READ_BYTES})
      let [now, pauses] = [0, 3]
      performance.now = () => now
      Atomics.wait = () => {
        if (pauses-- > 0) now += 600
        fs.writeSync(1, bytes, 0, fs.readSync(2, bytes))
      }
      let full = () => {}
      fs.write = (to, lines, done) => {
        let [error, written] = [null, 0]
        try { written = fs.writeSync(to, lines) } catch (thrown) { error = thrown }
        setImmediate(() => {
          done(error, written)
          if (error) full()
        })
      }
      syncBuiltinESMExports()
      ${rest}`)
    const child = spawn(process.execPath, words, { stdio: ['ignore', stdout, stderr] })
    await once(child, 'exit')
    closeSync(stderr)
    const left = Buffer.alloc(PIPE_BYTES)
    const length = readSync(reader, left)
    return Buffer.concat([readFileSync(taken), left.subarray(0, length)]).toString()
  } finally {
    closeSync(stdout)
    closeSync(reader)
    rmSync(directory, { recursive: true })
  }
}

test('a process that exits waits for a slow reader', async () => {
  assertComplete(await readsItself(`write(${LINES}); log.warn('last'); process.exit()`))
})

test('a process that warns and exits while the pipe is full loses no line', async () => {
  const said = await readsItself(`full = () => { log.warn('last'); process.exit() }
    write(${LINES})`)
  assertComplete(said)
})

test('a process that exits does not wait for a reader that has stopped', async () => {
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
