/** The participants of a run, created before it, and the same for every database and release. */
import { generateKeyPair as generateRsa } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import {
  encode,
  type PrivateKey,
  privateKeyFromKeyObject,
  privateKeyFromPem,
  sign,
} from '@ratafia/assertions'
import { generateKeyPair, type KeyPair } from '@ratafia/macaroon/bakery'

export const BRAND = 'acme-brand'
/** The model whose devices need the operator's approval. */
export const ASKED = 'asked'
/** The accounts with the role operator, which do nothing except lose the role and get it back. */
export const OPERATORS = ['operator-1', 'operator-2'] as const
/** The service's base URL. */
export const BASE_URL = 'http://ratafia.test'
/** The password of every account. */
export const PASSWORD = 'correct horse battery'

export interface Person {
  /** The name of the account and of its only agent. */
  readonly username: string
  readonly keyPair: KeyPair
}

export interface Model {
  readonly name: string
  readonly registration: 'auto' | 'approval'
  readonly text: string
}

export interface Scene {
  readonly people: readonly Person[]
  readonly models: readonly Model[]
  /** The model whose devices need the operator's approval. */
  readonly asked: Model
  /** The model that devices of `models` can become. */
  readonly next: Model
  readonly keys: readonly PrivateKey[]
}

const VECTORS = join(import.meta.dirname, '../../packages/assertions/vectors/world')
export const vector = (name: string): Buffer => readFileSync(join(VECTORS, name))

const newRsaKey = promisify(generateRsa)

/** Creates the participants. Device keys have the smallest size allowed, because larger ones would only be slower. */
export async function makeScene(size: { people: number; models: number; keys: number }): Promise<Scene> {
  const keys = await Promise.all(
    Array.from({ length: size.keys }, async () =>
      privateKeyFromKeyObject((await newRsaKey('rsa', { modulusLength: 2048 })).privateKey),
    ),
  )
  const brand = privateKeyFromPem(vector('keys/brand.pem'))
  const modelOf = (name: string, registration: Model['registration'] = 'auto'): Model => {
    const headers = {
      ...{ 'authority-id': BRAND, 'brand-id': BRAND, series: '16', model: name, classic: 'true' },
      timestamp: '2021-01-01T00:00:00Z',
    }
    const signed = sign({ type: 'model', headers }, brand, { signedAt: new Date() })
    return { name, registration, text: Buffer.from(encode(signed)).toString() }
  }
  const models = Array.from({ length: size.models }, (_, at) => modelOf(`unit-${at + 1}`))
  const people = Array.from({ length: size.people }, (_, at) => ({
    username: `person-${at + 1}`,
    keyPair: generateKeyPair(),
  }))
  return { people, models, asked: modelOf(ASKED, 'approval'), next: modelOf('next'), keys }
}
