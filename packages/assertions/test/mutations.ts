import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AssertionErrorCode, decode } from '../src/index.ts'
import { refusal } from './vectors.ts'

/** A part of the valid text, its replacement, the code of the refusal, and the name that the message quotes. */
export type Mutation = readonly [from: string, to: string, code: AssertionErrorCode, names?: string]

/** Defines a test for a valid text, and one for each mutation of it. `decode` ignores the signature. */
export function testMutations(name: string, valid: string, mutations: readonly Mutation[]): void {
  test(`decodes the unchanged text (${name})`, () => {
    decode(valid)
  })
  for (const [from, to, code, names = ''] of mutations) {
    test(`refuses ${JSON.stringify(to.slice(0, 60))} instead of ${JSON.stringify(from)} (${name})`, () => {
      assert.ok(valid.includes(from), 'The valid text contains the part to change')
      const error = refusal(() => decode(valid.replace(from, to)))
      assert.equal(error.code, code, error.message)
      if (names !== '') assert.ok(error.message.includes(`"${names}"`), error.message)
    })
  }
}

/** The mutation that leaves out a header. */
export const without = (name: string, value: string): Mutation => [
  `${name}: ${value}\n`,
  '',
  'missing-header',
  name,
]
