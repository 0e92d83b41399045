import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PERMISSIONS } from '@ratafia/api'
import fc from 'fast-check'
import { formatSummary, MAX_SUMMARY_BYTES, parseSummary, type SummaryInput } from './request-summary.ts'

const input: SummaryInput = {
  service: 'https://store.example.org',
  permissions: ['package_access', 'package_upload'],
  channels: ['*/stable'],
  packages: null,
  storeIds: ['one', 'two'],
  expires: new Date('2026-11-20T00:00:00.000Z'),
  description: 'CI of "bob"',
}

test('reads a short summary unchanged', () => {
  assert.deepEqual(parseSummary(formatSummary(input)), {
    service: 'https://store.example.org',
    permissions: { items: ['package_access', 'package_upload'], more: 0 },
    channels: { items: ['*/stable'], more: 0 },
    packages: null,
    storeIds: { items: ['one', 'two'], more: 0 },
    expires: new Date('2026-11-20T00:00:00.000Z'),
    description: 'CI of "bob"',
  })
})

test('shortens a long list, and records how many items are missing', () => {
  const packages = Array.from({ length: 256 }, (_, index) => `package-number-${index}`)
  const summary = parseSummary(formatSummary({ ...input, packages }))
  assert.ok(summary?.packages)
  assert.ok(summary.packages.items.length > 3)
  assert.equal(summary.packages.items.length + summary.packages.more, 256)
  assert.equal(summary.channels?.more, 0)
})

test('includes every permission within the size limit, whatever else is requested', () => {
  const texts = fc.array(fc.string({ maxLength: 128, unit: 'binary' }), { minLength: 1, maxLength: 256 })
  const list = fc.option(texts)
  fc.assert(
    fc.property(
      fc.subarray([...PERMISSIONS], { minLength: 1 }),
      list,
      list,
      list,
      fc.option(fc.string({ maxLength: 512, unit: 'binary' }), { nil: undefined }),
      fc.string({ maxLength: 300 }),
      (permissions, channels, packages, storeIds, description, service) => {
        const text = formatSummary({
          ...input,
          permissions,
          channels,
          packages,
          storeIds,
          description,
          service,
        })
        assert.ok(Buffer.byteLength(text) <= MAX_SUMMARY_BYTES)
        const summary = parseSummary(text)
        assert.ok(summary)
        assert.deepEqual(summary.permissions, { items: permissions, more: 0 })
        assert.equal(summary.channels === null, channels === null)
        assert.equal(
          (summary.packages?.items.length ?? 0) + (summary.packages?.more ?? 0),
          packages?.length ?? 0,
        )
      },
    ),
    { numRuns: 200 },
  )
})

for (const text of [
  '',
  '{',
  'null',
  '[]',
  '{}',
  '"x"',
  `{"service":1}`,
  `{"service":"${'x'.repeat(800)}"}`,
]) {
  test(`refuses ${text.slice(0, 20)} as a summary`, () => assert.equal(parseSummary(text), undefined))
}

test('refuses lists of anything but strings, and impossible times', () => {
  const wire = JSON.parse(formatSummary(input)) as Record<string, unknown>
  for (const change of [
    { permissions: [1] },
    { channels: ['a', null] },
    { packages: 'all' },
    { stores: [['a']] },
    { expires: 'tomorrow' },
    { expires: '2026-13-40T00:00:00.000Z' },
    { description: 7 },
  ]) {
    assert.equal(parseSummary(JSON.stringify({ ...wire, ...change })), undefined, JSON.stringify(change))
  }
  assert.ok(parseSummary(JSON.stringify({ ...wire, newer: true })))
})
