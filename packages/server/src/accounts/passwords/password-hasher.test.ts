import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { Unavailable } from '../../errors.ts'
import { createPasswordHasher } from './password-hasher.ts'

const cheap = { ln: 4, r: 8, p: 1 }
const bytes = (text: string) => Buffer.from(text)

test('verifies a password against its stored hash, and refuses another one', async () => {
  const hasher = createPasswordHasher({ parameters: cheap })
  const stored = await hasher.hash(bytes('correct horse'))
  assert.match(stored, /^\$scrypt\$ln=4,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/)
  assert.equal(await hasher.verify(bytes('correct horse'), stored), true)
  assert.equal(await hasher.verify(bytes('correct horse '), stored), false)
})

test('hashes with scrypt N=2^15, r=8, p=3 and a salt by default', async () => {
  const hasher = createPasswordHasher()
  const [one, two] = await Promise.all([hasher.hash(bytes('same')), hasher.hash(bytes('same'))])
  assert.match(one, /^\$scrypt\$ln=15,r=8,p=3\$/)
  assert.notEqual(one, two)
})

test('verifies a hash with parameters other than the current ones', async () => {
  const stored = await createPasswordHasher({ parameters: cheap }).hash(bytes('long ago'))
  const hasher = createPasswordHasher({ parameters: { ln: 5, r: 8, p: 2 } })
  assert.equal(await hasher.verify(bytes('long ago'), stored), true)
})

test('refuses every password if no hash is stored', async () => {
  const hasher = createPasswordHasher({ parameters: cheap })
  assert.equal(await hasher.verify(bytes(''), undefined), false)
  assert.equal(await hasher.verify(bytes('anything'), undefined), false)
})

test('does the same work with and without a stored hash', async (context) => {
  const hasher = createPasswordHasher({ parameters: { ln: 5, r: 8, p: 2 } })
  const stored = await hasher.hash(bytes('x'))
  const work = context.mock.method(crypto, 'scrypt')
  syncBuiltinESMExports()
  context.after(() => {
    work.mock.restore()
    syncBuiltinESMExports()
  })
  for (const hash of [stored, undefined]) await hasher.verify(bytes('wrong'), hash)
  const [known, unknown, ...more] = work.mock.calls.map(({ arguments: [, , length, options] }) => ({
    length,
    options,
  }))
  assert.ok(known)
  assert.deepEqual([unknown, more], [known, []])
})

test('reports a stored text of unknown form as an error, not as a wrong password', async () => {
  const hasher = createPasswordHasher({ parameters: cheap })
  for (const text of [
    '',
    'secret',
    '$2b$10$abc',
    `$scrypt$ln=31,r=8,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
  ]) {
    await assert.rejects(hasher.verify(bytes('x'), text), /stored password hash/)
  }
})

test('throws Unavailable for passwords beyond the queue, and finishes the others', async () => {
  const hasher = createPasswordHasher({ concurrency: 1, queue: 2, parameters: cheap })
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => hasher.verify(bytes('x'), undefined)),
  )
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
  )
  const [, , , refused] = results
  assert.ok(refused?.status === 'rejected' && refused.reason instanceof Unavailable)
  // The queue is free again.
  assert.equal(await hasher.verify(bytes('x'), undefined), false)
})
