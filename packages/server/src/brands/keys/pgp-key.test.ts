import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { privateKeyFromKeyObject, sign, verifySignature } from '@ratafia/assertions'
import { generateKey } from 'openpgp'
import { readPgpKey } from './pgp-key.ts'

const userIDs = [{ name: 'Acme' }]
const made = async (options: { passphrase?: string } = {}) =>
  (await generateKey({ userIDs, type: 'rsa', rsaBits: 2048, subkeys: [], format: 'armored', ...options }))
    .privateKey

suite('a PGP private key', () => {
  let open: string
  let locked: string
  before(async () => {
    open = await made()
    locked = await made({ passphrase: 'correct horse' })
  })
  const refusal = (message: RegExp) => ({ code: 'invalid-field', message })

  test('signs assertions that its public half verifies', async () => {
    for (const key of [
      await readPgpKey('k', open, undefined),
      await readPgpKey('k', locked, 'correct horse'),
    ]) {
      const own = privateKeyFromKeyObject(key)
      const headers = {
        'authority-id': 'acme',
        'account-id': 'acme',
        'display-name': 'Acme',
        validation: 'unproven',
        timestamp: '2026-01-01T00:00:00Z',
      }
      const policy = { minimumKeyBits: 2048, maximumKeyBits: 4096 }
      const signed = sign({ type: 'account', headers }, own, { signedAt: new Date(), policy })
      verifySignature(signed, own.publicKey)
    }
  })

  test('is refused if its passphrase is missing or wrong', async () => {
    await assert.rejects(
      readPgpKey('k', locked, undefined),
      refusal(/^k is encrypted\. .* --passphrase-stdin /),
    )
    await assert.rejects(
      readPgpKey('k', locked, 'wrong'),
      refusal(/^k cannot be decrypted; is the passphrase right\?$/),
    )
  })

  test('is refused if it is not a readable RSA private key', async () => {
    const { privateKey, publicKey } = await generateKey({ userIDs, type: 'curve25519', format: 'armored' })
    await assert.rejects(readPgpKey('k', privateKey, undefined), refusal(/^k is not an RSA key\./))
    for (const text of [publicKey, open.slice(0, 400), '']) {
      await assert.rejects(
        readPgpKey('k', text, undefined),
        refusal(
          /^k is not a readable PGP private key\. .* --homedir ~\/\.snap\/gnupg, or name it gpg:NAME\.$/,
        ),
      )
    }
  })
})
