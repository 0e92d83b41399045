import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import {
  AssertionError,
  decode,
  type FindAssertion,
  isReferredTo,
  type PrivateKey,
  privateKeyFromPem,
  type TrustContext,
  trustRoots,
  type UnverifiedAssertion,
} from '../src/index.ts'

const file = (path: string): URL => new URL(`../vectors/${path}`, import.meta.url)

/** The bytes of a file in `../vectors` (see the README there). */
export const vector = (path: string): Buffer => readFileSync(file(path))
export const vectorText = (path: string): string => vector(path).toString('utf8')
export const vectorNames = (folder: string): string[] => readdirSync(file(folder))
/** The caller states the shape it relies on. */
export const vectorJson = <Shape>(path: string): Shape => JSON.parse(vectorText(path)) as Shape

export const decoded = (path: string): UnverifiedAssertion => decode(vector(path))
/** A test key of the vectors: root, brand, generic, device, device2, expired, unknown, small1024. */
export const testKey = (name: string): PrivateKey => privateKeyFromPem(vector(`world/keys/${name}.pem`))

/** The time when the answers in expected.json were recorded. */
export const RECORDED = new Date('2026-11-20T20:24:49Z')

/** A look-up in these assertions by reference. */
export function findIn(assertions: readonly UnverifiedAssertion[]): FindAssertion {
  return async (type, primaryKey) => assertions.find((a) => isReferredTo(a, type, primaryKey))
}

const WORLD = [
  'valid/account-acme-brand',
  'valid/account-acme-operator',
  'valid/account-generic',
  'valid/account-key-acme-brand',
  'valid/account-key-generic',
  'valid/model-acme-classic',
  'valid/model-acme-next',
  'valid/account-key-expired',
]

/** The database that the answers in expected.json were recorded with. */
export function world(): TrustContext & { readonly known: readonly UnverifiedAssertion[] } {
  const known = WORLD.map(decoded)
  const roots = trustRoots(['valid/account-test-root', 'valid/account-key-test-root'].map(decoded))
  return { known, roots, find: findIn(known), now: RECORDED }
}

export function refusal(run: () => unknown): AssertionError {
  try {
    run()
  } catch (error) {
    if (error instanceof AssertionError) return error
    throw error
  }
  return assert.fail('It was accepted')
}
