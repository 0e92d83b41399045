import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AssertionErrorCode, decode } from '../src/index.ts'
import { refusal } from './vectors.ts'

/** What stands in the valid text, what is put in its place, and how that is refused. */
export type Mutation = readonly [from: string, to: string, message: string, code?: AssertionErrorCode]

/** One valid text, and one test for each way to break it. The signature is not looked at by `decode`. */
export function testMutations(name: string, valid: string, mutations: readonly Mutation[]): void {
  test(`${name}: the unchanged text decodes`, () => {
    decode(valid)
  })
  for (const [from, to, message, code = 'malformed-header'] of mutations) {
    test(`${name}: ${JSON.stringify(from)} changed to ${JSON.stringify(to.slice(0, 60))} is refused`, () => {
      assert.ok(valid.includes(from), 'The valid text has what is changed')
      const error = refusal(() => decode(valid.replace(from, to)))
      assert.deepEqual([error.code, error.message], [code, message])
    })
  }
}

/** Leaves a header out. */
export const without = (name: string, value: string, message: string): Mutation => [
  `${name}: ${value}\n`,
  '',
  message,
]
