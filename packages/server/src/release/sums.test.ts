import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSums } from './sums.ts'

const SUM = 'ab'.repeat(32)
const OTHER = 'cd'.repeat(32)

test('reads what sha256sum writes', () => {
  const sums = parseSums(`${SUM}  a-1.0.tar.xz\n${OTHER}  b_1.0~rc.1+x.deb\n`, 'SHA256SUMS')
  assert.deepEqual(
    [...sums],
    [
      ['a-1.0.tar.xz', SUM],
      ['b_1.0~rc.1+x.deb', OTHER],
    ],
  )
})

const NO_LINE = 'is not a SHA-256 hash, two spaces and a plain file name'
for (const [what, text, fault] of [
  ['nothing', '', 'it has 0 lines'],
  ['no newline at the end', `${SUM}  a`, 'its last line does not end'],
  ['an empty line', `${SUM}  a\n\n`, `line 2 ${NO_LINE}`],
  ['CR LF', `${SUM}  a\r\n`, `line 1 ${NO_LINE}`],
  ['one space', `${SUM} a\n`, `line 1 ${NO_LINE}`],
  ['a binary mark', `${SUM} *a\n`, `line 1 ${NO_LINE}`],
  ['an escaped name', `\\${SUM}  a\\nb\n`, `line 1 ${NO_LINE}`],
  ['capitals', `${SUM.toUpperCase()}  a\n`, `line 1 ${NO_LINE}`],
  ['a short hash', `${SUM.slice(1)}  a\n`, `line 1 ${NO_LINE}`],
  ['a long hash', `${SUM}0  a\n`, `line 1 ${NO_LINE}`],
  ['BSD form', `SHA256 (a) = ${SUM}\n`, `line 1 ${NO_LINE}`],
  ['no name', `${SUM}  \n`, `line 1 ${NO_LINE}`],
  ['a path', `${SUM}  a/b\n`, `line 1 ${NO_LINE}`],
  ['an absolute path', `${SUM}  /a\n`, `line 1 ${NO_LINE}`],
  ['a Windows path', `${SUM}  a\\b\n`, `line 1 ${NO_LINE}`],
  ['a drive', `${SUM}  c:a\n`, `line 1 ${NO_LINE}`],
  ['the directory above', `${SUM}  ..\n`, `line 1 ${NO_LINE}`],
  ['a hidden file', `${SUM}  .a\n`, `line 1 ${NO_LINE}`],
  ['an option', `${SUM}  -a\n`, `line 1 ${NO_LINE}`],
  ['a space in a name', `${SUM}  a b\n`, `line 1 ${NO_LINE}`],
  ['a control character', `${SUM}  a\x1b[2J\n`, `line 1 ${NO_LINE}`],
  ['NUL', `${SUM}  a\0\n`, `line 1 ${NO_LINE}`],
  ['a letter outside ASCII', `${SUM}  ä\n`, `line 1 ${NO_LINE}`],
  ['a long name', `${SUM}  ${'a'.repeat(201)}\n`, `line 1 ${NO_LINE}`],
  ['a name twice', `${SUM}  a\n${OTHER}  a\n`, 'line 2 repeats the name a'],
  ['a name twice in other case', `${SUM}  a\n${OTHER}  A\n`, 'line 2 repeats the name A'],
  ['itself', `${SUM}  SHA256SUMS\n`, 'line 1 names SHA256SUMS'],
  ['its signature', `${SUM}  SHA256SUMS.sig\n`, 'line 1 names SHA256SUMS.sig'],
  ['201 files', Array.from({ length: 201 }, (_, at) => `${SUM}  f${at}\n`).join(''), 'it has 201 lines'],
  ['32 KiB', `${SUM}  a\n`.repeat(500), 'it is longer than 32768 bytes'],
] as const) {
  test(`security: a list with ${what} is refused`, () => {
    assert.throws(() => parseSums(text, 'D/SHA256SUMS'), {
      name: 'ReleaseError',
      message: `D/SHA256SUMS is not a list of files and hashes as sha256sum writes it: ${fault}.`,
    })
  })
}
