import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { withProgress } from './progress.ts'

interface Watched {
  readonly isTTY: boolean
  readonly total: number
  readonly columns?: number
  readonly fails?: boolean
}

/** Returns the text that the terminal gets while work reports its progress every 50 ms, in steps of a tenth. */
async function shownOn(t: TestContext, { total, fails, ...terminal }: Watched): Promise<string> {
  let now = 1_000
  t.mock.method(performance, 'now', () => now)
  let shown = ''
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    shown += chunk
    done()
  }
  const stderr = Object.assign(new Writable({ write }), terminal)
  const work = withProgress(
    { stdin: process.stdin, stdout: process.stdout, stderr },
    ['Working', 'devices'],
    async (onProgress) => {
      for (let step = 0; step <= 10; step++, now += 50) onProgress((total * step) / 10, total)
      if (fails) throw new Error('it failed')
      return 'the result'
    },
  )
  if (fails) await assert.rejects(work, /it failed/)
  else assert.equal(await work, 'the result')
  return shown
}

const CLEAR = '\r\x1b[K'
const line = (tenths: number) =>
  `Working ${'█'.repeat(4 * tenths)}${'░'.repeat(40 - 4 * tenths)} ${10 * tenths}% ${2_000 * tenths}/20000 devices`
const LINES = [0, 2, 4, 6, 8, 10].map(line)

test('a terminal shows a bar ten times a second, and clears it at the end', async (t) => {
  const shown = await shownOn(t, { isTTY: true, total: 20_000, columns: 100 })
  assert.deepEqual(shown.split(CLEAR), ['', ...LINES, ''])
})

test('a failure also clears the bar', async (t) => {
  assert.ok((await shownOn(t, { isTTY: true, total: 20_000, fails: true })).endsWith(CLEAR))
})

for (const [columns, width] of [
  [60, 59],
  [0, 79],
] as const) {
  test(`a line fits a terminal of ${columns} columns`, async (t) => {
    const [, ...shown] = (await shownOn(t, { isTTY: true, total: 20_000, columns })).split(CLEAR)
    assert.deepEqual(shown, [...LINES.map((one) => one.slice(0, width)), ''])
  })
}

test('does not show a bar for short work, or without a terminal', async (t) => {
  assert.equal(await shownOn(t, { isTTY: true, total: 400 }), '')
  t.mock.restoreAll()
  assert.equal(await shownOn(t, { isTTY: false, total: 20_000 }), '')
})
