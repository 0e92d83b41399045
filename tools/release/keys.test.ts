import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { RELEASE_KEYS } from '../../packages/server/src/release/keys.ts'
import { ROOT } from '../test/programs.ts'
import { keyTable, SECURITY, SOURCE, withKeyTable, writeKeys } from './keys.ts'

const vectors = join(ROOT, 'packages/server/test/vectors/release')
const vector = (name: string) => readFileSync(join(vectors, name), 'utf8')
const TEXTS = {
  current: vector('current.pub').trimEnd(),
  next: vector('next.pub').trimEnd(),
  nextSignature: vector('next.pub.sig'),
}

test('SECURITY.md lists the keys of the program', () => {
  const page = readFileSync(join(ROOT, SECURITY), 'utf8')
  assert.equal(withKeyTable(page, RELEASE_KEYS), page)
})

const root = mkdtempSync(join(tmpdir(), 'ratafia-release-keys-'))
after(() => rmSync(root, { recursive: true }))

test('writes the keys into the program and SECURITY.md', async () => {
  mkdirSync(join(root, SOURCE, '..'), { recursive: true })
  writeFileSync(join(root, SECURITY), readFileSync(join(ROOT, SECURITY)))
  writeKeys(root, TEXTS)
  const written = await import(join(root, SOURCE))
  assert.deepEqual(written.RELEASE_KEYS, TEXTS)
  const page = readFileSync(join(root, SECURITY), 'utf8')
  assert.ok(page.includes(`\n\n${keyTable(TEXTS)}\n`))
  assert.match(
    page,
    /^\| current \| `SHA256:\S{43}` \| `ssh-ed25519 \S+ a release key of the tests` \|\n\| next \| /m,
  )
  assert.equal(withKeyTable(page, TEXTS), page)
  assert.equal(withKeyTable(page, RELEASE_KEYS), readFileSync(join(ROOT, SECURITY), 'utf8'))
})

test('security: writes nothing unless the current key signed the next one', () => {
  const before = readFileSync(join(root, SECURITY), 'utf8')
  const swapped = { ...TEXTS, current: TEXTS.next, next: TEXTS.current }
  assert.throws(() => writeKeys(root, swapped), /The next key's signature is signed with SHA256:/)
  assert.equal(readFileSync(join(root, SECURITY), 'utf8'), before)
})

test('npm run release:keys exits with 2 for wrong usage, and with 1 for keys that do not fit', () => {
  const at = (name: string) => join(vectors, name)
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, 'keys.ts'), ...words], { encoding: 'utf8' })
  const help = run('--help')
  assert.deepEqual([help.status, help.stderr], [0, ''])
  for (const words of [[], ['--frob'], ['--current', at('current.pub'), '--next', at('next.pub')]]) {
    assert.equal(run(...words).status, 2)
  }
  const given = ['--current', at('next.pub'), '--next', at('current.pub'), '--signature', at('next.pub.sig')]
  const { status, stderr } = run(...given)
  assert.equal(status, 1)
  assert.match(stderr, /^The next key's signature is signed with .*\n$/)
})
