// Every word that the console shows comes from its catalogue (contract/administration.md, C13).

import assert from 'node:assert/strict'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { findWords } from './find-words.ts'

const root = join(import.meta.dirname, '../..')
/** Routes are included because their notices and error messages are shown on pages. */
const PAGES = ['web/console/**/*.ts', 'console/**/*routes.ts', 'http/console/*.ts'].map(
  (pages) => `packages/server/src/${pages}`,
)
/** These files (stylesheet, script, CI configurations) contain no words for people, but much that looks like them. */
const WITHOUT_WORDS = /\/(?:style|script|pipelines)\.ts$|\.test\.ts$/

describe('words of the console', () => {
  test('the pages contain no words of their own', () => {
    const files = globSync(PAGES, { cwd: root })
      .filter((path) => !WITHOUT_WORDS.test(path))
      .map((path) => join(root, path))
    assert.ok(files.length > 10, 'PAGES no longer matches the pages')
    const found = findWords(root, files).map(
      ({ file, line, where, words }) => `${file.slice(root.length + 1)}:${line}: ${where}: ${words}`,
    )
    assert.deepEqual(found, [], 'move these into web/words/en')
  })

  let directory: string
  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'ratafia-words-'))
  })
  after(() => rmSync(directory, { recursive: true }))
  let files = 0
  /** Finds words in `code`, in which `#{` stands for `${`. */
  const found = (code: string) => {
    const file = join(directory, `page-${++files}.ts`)
    writeFileSync(file, code.replaceAll('#{', '${'))
    return findWords(directory, [file]).map(({ line, where, words }) => `${line} ${where}: ${words}`)
  }

  for (const [what, code, ...expected] of [
    ['a text', 'html`<p>Nothing here</p>`', '1 text: Nothing here'],
    ['a text between values', 'html`<p>#{a} of #{b}</p>`', '1 text: of'],
    ['a text in a template in a template', 'html`<p>#{\nhtml`<b>gone</b>`}</p>`', '2 text: gone'],
    ['a text without a tag', 'html`just words`', '1 text: just words'],
    ['a word that is not an attribute', 'html` refused`', '1 text: refused'],
    ['a text after a command', 'html`<code>ratafia jobs list</code> shows it`', '1 text: shows it'],
    ['a label that is read aloud', 'html`<div aria-label="Rows">#{x}</div>`', '1 aria-label: Rows'],
    [
      'a title among other attributes',
      'html`<a href="/console/x" title="Go #{there}">#{y}</a>`',
      '1 title: Go',
    ],
    ['a placeholder', 'html`<input name="a" placeholder="name">`', '1 placeholder: name'],
    ['the alternative text of a picture', 'html`<img alt="a plot">`', '1 alt: a plot'],
    ['an attribute without its tag', 'html` placeholder="first name"`', '1 placeholder: first name'],
    ['a label as a string', "const c = { label: 'name' }", '1 string: name'],
    ['a title as a template', 'const c = { title: `Job #{id}` }', '1 string: Job \0'],
    ['a choice', "const c = flag ? 'Yes' : 'No'", '1 string: Yes', '1 string: No'],
    ['a sentence', "const empty = 'there is nothing'", '1 string: there is nothing'],
    ['a number with its noun', 'const n = `#{count} rows`', '1 string: \0 rows'],
  ] as const) {
    test(`finds ${what}`, () => assert.deepEqual(found(code), expected))
  }

  for (const [what, code] of [
    ['words of the catalogue', 'html`<p title="#{words.a.b}">#{words.a.c(html`<b>#{x}</b>`)}</p>`'],
    ['a command', 'html`<code>ratafia jobs list</code>`; const c = { text: "ratafia jobs list" }'],
    ['attributes for the program', 'html`<p class="notice bad" id="rows">#{x}</p>`; html` class="opt num"`'],
    ['attributes without a value', 'html` checked`; html` hidden`; html`#{a} required`'],
    ['punctuation and entities', 'html`<p>#{a} · #{b}&nbsp;/ … “#{c}”, 100 %</p>`'],
    ['the name of the software', 'html`<strong>Ratafia</strong>`'],
    ['classes', "const CLASSES = { good: 'chip state is-good' }; const c = { class: 'card wide' }"],
    ['names for the program', "const s = { section: 'jobs', name: 'replace_all', type: 'date' }"],
    ['keys and types', "type A = 'Two words'; const b = a['Some key'] === 'Other'"],
    ['modules', "import { a } from './A b.ts'; export { b } from './C d.ts'"],
    ['addresses', 'const a = `/console/jobs/#{id}/items`; const b = `M#{x} #{y}h10`'],
    ['comments', '/** Two words. */ // and more\nconst a = 1'],
    ['messages of errors for programmers', "throw new TypeError('this cannot be')"],
  ] as const) {
    test(`ignores ${what}`, () => assert.deepEqual(found(code), []))
  }
})
