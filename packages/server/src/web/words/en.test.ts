import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signIn } from './en/sign-in.ts'
import { words } from './en.ts'

type Entry = readonly [path: string, text: string]

/**
 * Every message of the catalogue, with the path of its key. Functions are called with a date, which also
 * passes as a number.
 */
function* entries(catalogue: object, above = ''): Generator<Entry> {
  for (const [key, value] of Object.entries(catalogue)) {
    const path = `${above}${key}`
    if (typeof value === 'string') yield [path, value]
    else if (typeof value === 'function') yield* called(path, value)
    else if (Object.getPrototypeOf(value) === Object.prototype) yield* entries(value, `${path}.`)
  }
}

function* called(path: string, text: (...values: readonly unknown[]) => unknown): Generator<Entry> {
  const at = new Date(0)
  let shown: unknown
  try {
    shown = text(at, at, at, at)
  } catch {
    // This function requires records.
  }
  if (typeof shown === 'string') yield [path, shown]
}

const ALL = [...entries({ ...words, signIn })]

const VERBS =
  'Add|Approve|Cancel|Change|Compare|Create|Disable|Edit|Enable|Explain|Grant|Import|Manage|Preview|Reject|Release|' +
  'Remove|Replace|Revoke|Rotate|Save|Shorten|Sign out|Test|Validate|Verify'

const FORMS: readonly {
  readonly what: string
  readonly key: RegExp
  readonly form: RegExp
  readonly not?: RegExp
  /** How many there are at least. */
  readonly least: number
}[] = [
  {
    what: 'a heading has no full stop',
    key: /(?:^|\.)title$|Title$/,
    form: /^[\p{Lu}\d].*[^.…:]$/u,
    least: 70,
  },
  {
    what: 'a button is a verb with its noun',
    key: /\.does$|Does$|(?<!to)Do$|\.do\./,
    form: new RegExp(`^(?:${VERBS})(?: .*[^.…])?$`),
    least: 40,
  },
  {
    what: 'a notice confirms in a sentence without "is"',
    key: /Notice$|(?<!shownPage|linkShown|agents|outcomes|again)\.done$|manyDone$/,
    form: /\.$/,
    not: /\b(?:is|are) (?:added|created|disabled|enabled|made|removed|revoked|saved)\.$/,
    least: 15,
  },
  {
    what: 'an empty list says so in a sentence',
    key: /\.empty$/,
    form: /^(?:No .* yet|.* not .*)\.$/,
    least: 15,
  },
]

for (const { what, key, form, not, least } of FORMS) {
  test(what, () => {
    const found = ALL.filter(([path]) => key.test(path))
    assert.ok(found.length >= least, `only ${found.length} messages have such a key`)
    for (const [path, text] of found) {
      assert.match(text, form, path)
      if (not !== undefined) assert.doesNotMatch(text, not, path)
    }
  })
}

test('a label with "…" begins with a verb', () => {
  const found = ALL.filter(([, text]) => text.endsWith('…'))
  assert.ok(found.length >= 40)
  for (const [path, text] of found) assert.match(text, new RegExp(`^(?:${VERBS})\\b`), path)
})
