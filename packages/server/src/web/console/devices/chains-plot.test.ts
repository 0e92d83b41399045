/** The plot of chains shows the sessions that it was given. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainsOf, chainsPlot, squaresOf } from './chains-plot.ts'

const at = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours)).toISOString()
const session = (chain: string, hours: number) => ({ chain_id: chain, opened_at: at(hours) })

test('shows the chains that were used last, oldest first', () => {
  const sessions = [
    ...[1, 2, 3, 4, 5, 6].map((hour) => session(`chain-${hour}`, hour)),
    session('chain-1', 50),
    session('chain-3', 0),
  ]
  assert.deepEqual(
    chainsOf(sessions).map(({ name, opened }) => [name, opened.length]),
    [
      ['chain-1', 2],
      ['chain-4', 1],
      ['chain-5', 1],
      ['chain-6', 1],
    ],
  )
})

test('draws overlapping squares as one, and none outside the picture', () => {
  assert.deepEqual(
    squaresOf([0, 1, 2, 40, 100], (x) => x),
    [-4, 36, 96],
  )
  const plot = chainsPlot(Array.from({ length: 500 }, (_, index) => session('one', index)))
  const xs = [...(plot?.markup ?? '').matchAll(/M(\d+) /g)].map(([, x]) => Number(x))
  assert.ok(xs.length > 50 && xs.every((x) => x >= 72 && x <= 408), `${xs}`)
})

test('draws a single session and simultaneous ones, and nothing for no sessions', () => {
  assert.equal(chainsPlot([]), undefined)
  for (const sessions of [[session('a', 1)], [session('a', 1), session('b', 1)]]) {
    const { markup = '' } = chainsPlot(sessions) ?? {}
    assert.doesNotMatch(markup, /NaN|Infinity|undefined/)
    assert.equal(markup.match(/<path/g)?.length, sessions.length)
  }
})

test('describes the picture in text, and escapes foreign names', () => {
  const { markup = '' } = chainsPlot([session('"><script>', 1), session('b', 30)]) ?? {}
  assert.match(
    markup,
    /role="img" aria-label="Sessions of 2 chains over time, from 1 Jan 2026 to 2 Jan 2026\./,
  )
  assert.doesNotMatch(markup, /<script>/)
})
