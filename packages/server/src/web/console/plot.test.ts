/** The picture of a plot, its text and its table show the same numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BOX, drawingOf, type Plot, plot } from './plot.ts'

const HOUR_MS = 3_600_000
const startsOf = (count: number): Date[] =>
  Array.from({ length: count }, (_, index) => new Date(Date.UTC(2026, 10, 24) + index * HOUR_MS))

const plotOf = (values: readonly (readonly number[])[]): Plot => ({
  label: 'Logins',
  unit: 'hour',
  starts: startsOf(values[0]?.length ?? 0),
  series: values.map((one, index) => ({ name: `kind ${index}`, values: one })),
})

/** One to three series with the same number of periods, and numbers of any size. */
const plots = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 31 }))
  .chain(([series, periods]) =>
    fc.array(
      fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 }), fc.maxSafeNat()), {
        minLength: periods,
        maxLength: periods,
      }),
      { minLength: series, maxLength: series },
    ),
  )
  .map(plotOf)

test('all bars and ticks are inside the box, and the bars of a series never overlap', () => {
  fc.assert(
    fc.property(plots, (one) => {
      const { bars, ticks, names } = drawingOf(one)
      for (const some of bars) {
        let end: number = BOX.left
        for (const { x, width, top, bottom } of some) {
          assert.ok(x >= end, `${x} begins before ${end}`)
          end = x + width
          assert.ok(width > 0 && end <= BOX.width + 1e-9, `${x} and ${width} leave the box`)
          assert.ok(BOX.top <= top && top <= bottom && bottom <= BOX.bottom, `${top} to ${bottom}`)
        }
      }
      for (const { y, value } of ticks) {
        assert.ok(y >= BOX.top && y <= BOX.bottom)
        assert.ok(Number.isInteger(value))
      }
      assert.ok(names.length >= 1 && names.length <= 4)
      for (const { x } of names) assert.ok(x >= BOX.left && x <= BOX.width)
    }),
  )
})

test('the bars of a period are stacked, and their height together shows their sum', () => {
  fc.assert(
    fc.property(plots, (one) => {
      const { bars, ticks } = drawingOf(one)
      const highest = ticks.at(-1)
      assert.ok(highest)
      for (const period of one.starts.keys()) {
        const stack = bars.flatMap((some) => some.filter((bar) => bar.period === period))
        let end: number = BOX.bottom
        for (const { top, bottom } of stack) {
          assert.equal(bottom, end)
          end = top
        }
        const sum = one.series.reduce((all, { values }) => all + (values[period] ?? 0), 0)
        // The scale is that of the ticks.
        const height = (sum / highest.value) * (BOX.bottom - highest.y)
        if (highest.value > 0) assert.ok(Math.abs(BOX.bottom - end - height) < 0.3, `${end} for ${sum}`)
      }
    }),
  )
})

test('the text contains the sum, the peak and the sum of each kind', () => {
  const { markup } = plot(
    plotOf([
      [1, 20, 0],
      [0, 1_480, 3],
    ]),
  )
  const [, said] = /aria-label="([^"]*)"/.exec(markup) ?? []
  assert.equal(said, 'Logins: 1,504 in 3 hours. Peak at 01:00: 1,500. By kind: kind 0 21, kind 1 1,483.')
})

test('the text of a single kind contains its sum once', () => {
  const { markup } = plot(plotOf([[7]]))
  assert.match(markup, /aria-label="Logins: 7 in 1 hour\. Peak at 00:00: 7\."/)
})

test('the table has the same numbers, period by period', () => {
  fc.assert(
    fc.property(plots, (one) => {
      const { markup } = plot(one)
      const cells = [...markup.matchAll(/<td class="num">([^<]*)<\/td>/g)].map(([, text = '']) =>
        Number(text.replaceAll(',', '')),
      )
      const counted = one.starts.flatMap((_, period) => one.series.map(({ values }) => values[period]))
      assert.deepEqual(cells, counted.some((value) => value !== 0) ? counted : [])
    }),
  )
})

for (const [name, one] of [
  ['no period', plotOf([[]])],
  ['nothing but zeros', plotOf([[0, 0, 0]])],
] as const) {
  test(`shows a message instead of a picture for ${name}`, () => {
    const { markup } = plot(one)
    assert.match(markup, /No activity in this period/)
    assert.doesNotMatch(markup, /<svg/)
  })
}

test('shortens very large numbers at the axis, and uses no styles in the picture', () => {
  const { markup } = plot(plotOf([[9_000_000_000_000_000, 1]]))
  for (const [, text = ''] of markup.matchAll(/text-anchor="end">([^<]*)</g)) {
    assert.ok(text.length <= 7, text)
  }
  assert.doesNotMatch(markup, /style=|NaN|Infinity|e\+/)
})

test('refuses a fourth kind, because there are three fills', () => {
  assert.throws(() => plot(plotOf([[1], [1], [1], [1]])), TypeError)
})
