import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { check } from './check.ts'
import { PATTERNS, type Place } from './patterns.ts'
import { FINE, PLANTED } from './planted.fixture.ts'

/** Findings in a tree of these files, without what to write. */
function found(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'ratafia-words-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return check(root).findings.map((finding) => finding.replace(/\n.*/, ''))
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** A file with `sentence` in each place where a person reads one. `line` is where it is. */
const PLACES: readonly {
  readonly what: string
  readonly place: Place
  readonly path: string
  readonly line: number
  readonly plant: (sentence: string) => string
}[] = [
  {
    what: 'a docstring',
    place: 'comment',
    path: 'packages/server/src/a.ts',
    line: 4,
    plant: (sentence) => `const a = 1\n/**\n *\n * ${sentence}\n */\nexport const b = a\n`,
  },
  {
    what: 'a comment of two lines',
    place: 'comment',
    path: 'tools/a.ts',
    line: 2,
    plant: (sentence) => `const a = '//'\n// ${sentence}\n// A second sentence.\n`,
  },
  {
    what: 'a message',
    place: 'string',
    path: 'packages/api/src/a.ts',
    line: 2,
    plant: (sentence) => `export const a = (b: string) =>\n  \`${sentence} \${b}\`\n`,
  },
  {
    what: 'the title of a test',
    place: 'string',
    path: 'packages/server/test/a.test.ts',
    line: 1,
    plant: (sentence) => `test(${JSON.stringify(sentence)}, () => undefined)\n`,
  },
  {
    what: 'a paragraph',
    place: 'prose',
    path: 'docs/a.md',
    line: 7,
    plant: (sentence) => `# A page\n\n\`\`\`\nsomebody\n\`\`\`\n\n${sentence}\n`,
  },
  {
    what: 'an item of a list',
    place: 'prose',
    path: 'SECURITY.md',
    line: 4,
    plant: (sentence) => `# A page\n\n- One item.\n- ${sentence}\n`,
  },
  {
    what: 'a heading',
    place: 'heading',
    path: 'examples/ci/README.md',
    line: 1,
    plant: (sentence) => `# ${sentence}\n\nA paragraph.\n`,
  },
]

describe('the check of words', () => {
  for (const { what, place, path, line, plant } of PLACES) {
    test(`finds every pattern in ${what}`, () => {
      for (const [name, sentence] of PLANTED) {
        const { places } = PATTERNS.find((pattern) => pattern.name === name) ?? {}
        const expected = places === undefined || places.includes(place) ? [`${path}:${line}: ${name}`] : []
        const findings = found({ [path]: plant(sentence) }).map((finding) => finding.replace(/: ".*/, ''))
        assert.deepEqual(findings, expected, sentence)
      }
    })

    test(`finds nothing in a good sentence in ${what}`, () => {
      for (const sentence of FINE) assert.deepEqual(found({ [path]: plant(sentence) }), [], sentence)
    })
  }

  test('shows the words, and says what to write', () => {
    const root = mkdtempSync(join(tmpdir(), 'ratafia-words-'))
    try {
      writeFileSync(join(root, 'README.md'), '# A page\n\nThis works for whoever\nasks.\n')
      assert.deepEqual(check(root), {
        files: 1,
        findings: [
          'README.md:3: whoever: "This works for whoever asks."\n' +
            '  write name the role ("the user", "an operator", "callers"), say "you", or use the passive',
        ],
      })
    } finally {
      rmSync(root, { recursive: true })
    }
  })

  test('every pattern has a planted sentence', () => {
    assert.deepEqual(PLANTED.map(([name]) => name).sort(), PATTERNS.map(({ name }) => name).sort())
  })

  test('code, statements of SQL and names are not prose', () => {
    const source = "const a = sql`select nobody from whoever beside it`\nconst b = 'whoever-goes-on'\n"
    assert.deepEqual(
      found({ 'tools/a.ts': source, 'docs/a.md': '    \n`nobody` and\n\n~~~\nanew\n~~~\n' }),
      [],
    )
  })
})
