import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAudit } from './advisories.ts'

const report = (...names: readonly string[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      names.map((name) => [
        name,
        {
          ...{ name, severity: 'high', range: '<1.2.3' },
          via: [{ title: 'Prototype pollution', url: 'https://example.com/GHSA-1' }],
        },
      ]),
    ),
  })

test('an advisory on a shipped package fails the check and is printed with its URL', () => {
  assert.deepEqual(readAudit(report('shipped', 'tool'), report('shipped')), {
    failed: true,
    lines: [
      'high, shipped: shipped <1.2.3: Prototype pollution https://example.com/GHSA-1',
      'high, development only: tool <1.2.3: Prototype pollution https://example.com/GHSA-1',
    ],
  })
})

test('an advisory on a development dependency is printed and does not fail the check', () => {
  assert.equal(readAudit(report('tool'), report()).failed, false)
  assert.equal(readAudit(report('tool'), report()).lines.length, 1)
})

test('if it is unknown which packages are shipped, any advisory fails the check', () => {
  for (const away of ['{"message":"503 Service Unavailable"}', '']) {
    assert.equal(readAudit(report('shipped'), away).failed, true)
  }
})

test('a report without advisories passes and prints "No advisories."', () => {
  assert.deepEqual(readAudit(report(), report()), { failed: false, lines: ['No advisories.'] })
})

for (const [title, printed, reason] of [
  [
    'a registry without advisories',
    '{"message":"405 Method Not Allowed - POST","statusCode":405}',
    '405 Method Not Allowed - POST',
  ],
  ['no output', '', 'npm audit did not print a report'],
  ['a page instead of JSON', '<html>', 'npm audit did not print a report'],
] as const) {
  test(`${title} leaves advisories unchecked, and the output reports it`, () => {
    assert.deepEqual(readAudit(printed, printed), {
      failed: false,
      lines: [`Advisories are unchecked: ${reason}.`],
    })
  })
}
