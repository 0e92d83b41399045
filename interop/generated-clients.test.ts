// Clients generated from the OpenAPI document run a login from creation to revocation, and a device.

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import {
  decode,
  encode,
  encodePublicKey,
  expectType,
  formatTimestamp,
  privateKeyFromKeyObject,
  sign,
} from '@ratafia/assertions'
import { GENERATED, type GeneratedAnswer, generateClients } from './support/generated-clients.ts'
import { personBrowser } from './support/person-browser.ts'
import { ADA, onOneDatabase } from './support/world.ts'

onOneDatabase((world) => {
  let model: string

  before(async () => {
    const { installation, service } = world()
    const directory = join(installation.directory, 'brand')
    await installation.ratafia(['brands', 'create', '--demo', '--output', directory])
    const [name] = (await readdir(directory)).filter((file) => file.startsWith('model'))
    model = await readFile(join(directory, name ?? ''), 'utf8')
    await generateClients(service.url)
  })

  for (const [name, startClient] of Object.entries(GENERATED)) {
    describe(name, () => {
      /** Returns the answer to a command. Calls `meanwhile` if the client first asks to open an address. */
      async function ask(
        command: Readonly<Record<string, unknown>>,
        meanwhile: (visit: string) => Promise<void> = async () => {},
      ): Promise<GeneratedAnswer> {
        const client = startClient()
        try {
          let answer = await client.ask({ ...command, service: world().service.url })
          if (answer.visit !== undefined) {
            await meanwhile(answer.visit)
            answer = await client.next()
          }
          assert.equal(answer.error, undefined, answer.message)
          return answer
        } finally {
          await client.close()
        }
      }

      test('a token is created, discharged, exchanged, used, listed and revoked, and then gets a 401', async () => {
        const description = `generated ${crypto.randomUUID()}`
        const answer = await ask({ do: 'life', description }, approve)
        assert.equal(answer.account?.username, ADA.username)
        assert.deepEqual(answer.channels, ['edge'])
        assert.deepEqual(answer.permissions, ['package_access', 'package_upload'])
        assert.equal(answer.listed?.description, description)
        assert.equal(answer.revoked?.['session-id'], answer.listed['session-id'])
        assert.equal(answer.revoked['revoked-by'], ADA.username)
        assert.deepEqual(answer.after, { status: 401, code: 'macaroon-authorization-required' })
      })

      test('a device gets a request-id, registers, gets a nonce, opens a session and fetches its model', async () => {
        const once = async () => ask({ do: 'once' })
        const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
        const key = privateKeyFromKeyObject(privateKey)
        const { fields } = expectType(decode(Buffer.from(model)), 'model')
        const signed = (
          type: 'serial-request' | 'device-session-request',
          headers: Record<string, string>,
        ) => {
          const named = { 'brand-id': fields.brandId, model: fields.model, ...headers }
          const policy = { minimumKeyBits: 2048, maximumKeyBits: 8192 }
          return Buffer.from(
            encode(sign({ type, headers: named }, key, { signedAt: new Date(), policy })),
          ).toString()
        }

        const { 'request-id': requestId = '', discharger } = await once()
        assert.equal(discharger, 3)
        const request = signed('serial-request', {
          'request-id': requestId,
          'device-key': encodePublicKey(key.publicKey).trimEnd(),
        })
        const { serial = '' } = await ask({ do: 'register', stream: `${request}\n${model}` })
        const granted = expectType(decode(Buffer.from(serial)), 'serial').fields

        const { nonce = '' } = await once()
        const body = {
          'serial-assertion': serial,
          'device-session-request': signed('device-session-request', {
            serial: granted.serial,
            nonce,
            timestamp: formatTimestamp(new Date()),
          }),
          'model-assertion': model,
        }
        const opened = await ask({ do: 'session', body })
        assert.equal(opened.device?.serial, granted.serial)
        assert.equal(opened.model, model)
      })
    })
  }
})

/** Opens the address as the user, signs in and approves the login. */
async function approve(visit: string): Promise<void> {
  const browser = personBrowser()
  const signIn = (await browser.open(visit)).forms.find((form) => form.hasPassword) ?? assert.fail('no form')
  const { username, password } = ADA
  const page = await browser.submit(signIn, { username, password }, 'Sign in')
  const decision = page.forms.find(({ buttons }) => buttons.some(({ text }) => text === 'Approve login'))
  await browser.submit(decision ?? assert.fail('nothing to approve'), {}, 'Approve login')
}
