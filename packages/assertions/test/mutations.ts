import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AssertionErrorCode, decode } from '../src/index.ts'
import { refusal } from './vectors.ts'

/** A piece of the valid text, what replaces it, the code of the refusal, and what its message names, in quotes. */
export type Mutation = readonly [from: string, to: string, code: AssertionErrorCode, names?: string]

/** One valid text, and one test for each way to break it. The signature is not looked at by `decode`. */
export function testMutations(name: string, valid: string, mutations: readonly Mutation[]): void {
  test(`${name}: the unchanged text decodes`, () => {
    decode(valid)
  })
  for (const [from, to, code, names = ''] of mutations) {
    test(`${name}: ${JSON.stringify(from)} changed to ${JSON.stringify(to.slice(0, 60))} is refused`, () => {
      assert.ok(valid.includes(from), 'The valid text has what is changed')
      const error = refusal(() => decode(valid.replace(from, to)))
      assert.equal(error.code, code, error.message)
      if (names !== '') assert.ok(error.message.includes(`"${names}"`), error.message)
    })
  }
}

/** Leaves a header out. */
export const without = (name: string, value: string): Mutation => [
  `${name}: ${value}\n`,
  '',
  'missing-header',
  name,
]
