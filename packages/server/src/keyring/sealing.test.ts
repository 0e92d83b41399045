import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { deriveKey } from './derive.ts'
import { createSealer } from './sealing.ts'

const bytes = (options = {}) => fc.uint8Array({ maxLength: 200, ...options })

test('a sealed value opens for the same purpose and secret', () => {
  fc.assert(
    fc.property(bytes({ minLength: 32 }), fc.string(), bytes(), (secret, purpose, plaintext) => {
      const sealed = createSealer(secret).seal(purpose, plaintext)
      assert.deepEqual(createSealer(secret).unseal(purpose, sealed), Buffer.from(plaintext))
    }),
  )
})

test('a sealed value does not open for a different purpose or under another secret', () => {
  const secret = randomBytes(32)
  const sealed = createSealer(secret).seal('root-key:1', Buffer.from('plaintext'))
  assert.equal(createSealer(secret).unseal('root-key:2', sealed), undefined)
  assert.equal(createSealer(secret).unseal('', sealed), undefined)
  assert.equal(createSealer(randomBytes(32)).unseal('root-key:1', sealed), undefined)
})

test('refuses a sealed value with any bit changed, any byte missing or extra bytes', () => {
  const sealer = createSealer(randomBytes(32))
  const sealed = sealer.seal('purpose', Buffer.from('sixteen byte key'))
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const tampered = Buffer.from(sealed)
    tampered[bit >> 3] = (tampered[bit >> 3] as number) ^ (1 << (bit & 7))
    assert.equal(sealer.unseal('purpose', tampered), undefined, `bit ${bit}`)
  }
  for (let length = 0; length < sealed.length; length++) {
    assert.equal(sealer.unseal('purpose', sealed.subarray(0, length)), undefined, `${length} bytes`)
  }
  assert.equal(sealer.unseal('purpose', Buffer.concat([sealed, Buffer.of(0)])), undefined)
})

test('never seals the same plaintext to the same bytes', () => {
  const sealer = createSealer(randomBytes(32))
  const sealed = Array.from({ length: 100 }, () => sealer.seal('p', Buffer.from('same')).toString('hex'))
  assert.equal(new Set(sealed).size, 100)
})

test('refuses a secret of less than 32 bytes', () => {
  assert.throws(() => createSealer(randomBytes(31)), {
    name: 'TypeError',
    message: 'A secret key must have at least 32 bytes; this one has 31.',
  })
})

test('deriveKey is HMAC-SHA256 of label, zero byte and parts', () => {
  fc.assert(
    fc.property(bytes({ maxLength: 64 }), bytes(), bytes(), (secret, a, b) => {
      const expected = createHmac('sha256', secret).update('a label\0').update(a).update(b).digest()
      assert.deepEqual(deriveKey(secret, 'a label', a, b), expected)
    }),
  )
  assert.throws(() => deriveKey(randomBytes(65), 'a label'), TypeError)
})

test('while the secret changes, the new one seals, both open, and a value shows which one sealed it', () => {
  const [old, now] = [randomBytes(32), randomBytes(32)]
  const [before, between, after] = [
    createSealer(old),
    createSealer({ current: now, previous: old }),
    createSealer(now),
  ]
  const [sealed, anew] = [before.seal('p', Buffer.from('x')), between.seal('p', Buffer.from('x'))]
  assert.deepEqual(between.unseal('p', sealed), Buffer.from('x'))
  assert.deepEqual(between.unseal('p', anew), Buffer.from('x'))
  assert.deepEqual(after.unseal('p', anew), Buffer.from('x'))
  assert.equal(before.unseal('p', anew), undefined)
  assert.equal(after.unseal('p', sealed), undefined)
  assert.deepEqual([between.isCurrent('p', sealed), between.isCurrent('p', anew)], [false, true])
  assert.deepEqual([...after.keyIds(), ...before.keyIds()], between.keyIds())
  const idIn = (value: Uint8Array) => Buffer.from(value).toString('hex', 1, 5)
  assert.deepEqual([idIn(anew), idIn(sealed)], between.keyIds())
})

test('reads its secrets again for a value that does not open, and no other secret opens one', () => {
  const [old, now, other] = [randomBytes(32), randomBytes(32), randomBytes(32)]
  let reads = 0
  const sealer = createSealer(old, () => {
    reads++
    return { current: now, previous: old }
  })
  const sealed = sealer.seal('p', Buffer.from('x'))
  assert.deepEqual(sealer.unseal('p', sealed), Buffer.from('x'))
  assert.equal(reads, 0)
  assert.deepEqual(sealer.unseal('p', createSealer(now).seal('p', Buffer.from('y'))), Buffer.from('y'))
  assert.deepEqual(sealer.unseal('p', sealed), Buffer.from('x'))
  assert.equal(sealer.isCurrent('p', sealed), false)
  for (let times = 0; times < 5; times++) {
    assert.equal(sealer.unseal('p', createSealer(other).seal('p', Buffer.from('z'))), undefined)
  }
  assert.equal(reads, 1, 'at most once a second')
})
