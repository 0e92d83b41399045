// Checks the form of the documentation: links, anchors and line lengths are right, and commands, options and the
// sections of the contract that comments cite exist.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { describedProgram } from './program.ts'
import { parse } from './site/markdown.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const PAGES = [
  ...globSync('*.md', { cwd: root }),
  ...globSync('{docs,packages,examples,interop,benchmarks,faults,tools}/**/*.md', { cwd: root }),
]
  .filter((path) => !/node_modules|\.venv|vectors/.test(path))
  .sort()

/** A page without its code blocks. */
const prose = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, '')

/** A page's prose without its inline code. Links and code may cross a line end. */
function withoutCode(text: string): string {
  return paragraphsOf(text)
    .map((paragraph) => paragraph.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, ''))
    .join('\n\n')
}

/** The blocks between blank lines. */
const paragraphsOf = (text: string): string[] => prose(text).split(/\n[ \t]*\n/)

const anchorsOf = new Map<string, ReadonlySet<string>>()

/** The anchors of a file's headings. */
function anchors(file: string): ReadonlySet<string> {
  const known = anchorsOf.get(file)
  if (known) return known
  const found = new Set(parse(readFileSync(file, 'utf8')).headings.map(({ anchor }) => anchor))
  anchorsOf.set(file, found)
  return found
}

/** The targets of a page's links. White space inside a target is kept, because it breaks the link. */
function linksOf(text: string): string[] {
  return [...withoutCode(text).matchAll(/\[[^\][]*(?:\[[^\][]*\][^\][]*)*\]\(([^()]*)\)/g)].map(
    ([, target = '']) => target,
  )
}

/** Returns the problem of a link of `page`; undefined if its file and heading exist. */
function problemOf(link: string, page: string): string | undefined {
  if (/\s/.test(link)) return 'has a line end or a space in its target'
  if (/^(https?|mailto):/.test(link)) return undefined
  const [path = '', anchor] = link.split('#')
  const file = path === '' ? join(root, page) : resolve(root, dirname(page), path)
  if (!file.startsWith(`${root}/`)) return 'points outside the project'
  if (!existsSync(file)) return 'no such file'
  if (anchor !== undefined && !anchors(file).has(anchor)) return 'no such heading'
  return undefined
}

for (const page of PAGES) {
  test(`every relative link in ${page} points to an existing file and heading`, () => {
    const broken = linksOf(read(page)).flatMap((link) => problemOf(link, page)?.concat(`: ${link}`) ?? [])
    assert.deepEqual(broken, [])
  })
}

test('the link check accepts a line end in the text of a link, but not in its target', () => {
  const text = 'See [what to\ndo](README.md#no-such-heading), [a\n`b`](nowhere.md) and [c](#d-\ne).'
  assert.deepEqual(linksOf(text), ['README.md#no-such-heading', 'nowhere.md', '#d-\ne'])
  assert.deepEqual(
    linksOf(text).map((link) => problemOf(link, 'README.md')),
    ['no such heading', 'no such file', 'has a line end or a space in its target'],
  )
})

test('the link check ignores links in code, and code that crosses a line end', () => {
  assert.deepEqual(linksOf('`[a](b)` and ``[c](d)`` and `code\n[e](f)` and [g](h)'), ['h'])
})

/** Whether a line continues the previous one, and does not start an item, a row or a heading. */
const continues = (line: string): boolean => !/^\s*([-*+] |\d+\. |\||#|>|<!--|$)/.test(line)

/** Lines with one short word inside or at the end of a paragraph, which incomplete rewrapping leaves behind. */
function orphans(text: string): string[] {
  return paragraphsOf(text).flatMap((paragraph) => {
    const lines = paragraph.split('\n')
    return lines.filter((line, index) => {
      const alone = /^\s*\S{1,24}$/.test(line)
      return alone && continues(line) && index > 0 && /^[^|#<]/.test(lines[index - 1]?.trim() ?? '|')
    })
  })
}

for (const page of PAGES) {
  test(`${page} has no line with a single orphaned word`, () => assert.deepEqual(orphans(read(page)), []))
}

test('the check for orphaned words finds them in paragraphs and lists, and ignores headings and code', () => {
  assert.deepEqual(orphans('One line of text that continues\nhere\nand there.'), ['here'])
  assert.deepEqual(orphans('- An item that continues\n  here.\n- two'), ['  here.'])
  assert.deepEqual(orphans('# Title\n\nalone\n\n```sh\nnpm ci\nls\n```\n\n1. one\n2. two'), [])
})

for (const page of PAGES.filter((path) =>
  /^(README|SECURITY|CHANGELOG|CONTRIBUTING|docs\/.*)\.md$/.test(path),
)) {
  test(`lines of text in ${page} have at most 120 characters`, () => {
    const long = prose(read(page))
      .split('\n')
      .filter((line) => line.length > 120 && !line.startsWith('|'))
    assert.deepEqual(long, [])
  })
}

test('README.md has fewer than 150 lines', () => {
  assert.ok(read('README.md').split('\n').length < 150)
})

test('every command and option that a page names exists', async () => {
  const known = new Map<string, Command>()
  const walk = (command: Command, path: readonly string[]): void => {
    known.set(path.join(' '), command)
    for (const child of command.commands) walk(child, [...path, child.name()])
  }
  walk(await describedProgram(), [])
  for (const page of PAGES) {
    for (const [line] of read(page).matchAll(/\bratafia (?:[a-z-]+ ?){1,2}[^\n`|;]*/g)) {
      const words = line.split(/\s+/).slice(1)
      const command = known.get(words.slice(0, 2).join(' ')) ?? known.get(words[0] ?? '')
      // In prose, the words after "ratafia" may not be a command ("ratafia listening on …").
      if (!command) continue
      const options = words
        .filter((word) => word.startsWith('--') && word !== '--help')
        .map((word) => word.split('=')[0])
      for (const option of options) {
        const exists = command.options.some(({ long }) => long === option)
        assert.ok(exists, `${page}: "ratafia ${command.name()}" has no option ${option}: ${line}`)
      }
    }
  }
})

test('command lines begin with ratafia, and nothing asks a registry for a package of that name', () => {
  for (const page of PAGES) {
    for (const [block] of read(page).matchAll(/^ *```[\s\S]*?^ *```$/gm)) {
      const asks = block.split('\n').filter((line) => /npx (ratafia|node)\b/.test(line))
      assert.deepEqual(asks, [], page)
    }
  }
})

/** Matches `contract/x.md, decisions 3, 15 to 20 and 31`. Some files omit the word, and some use letters. */
const CITED_DECISIONS =
  /contract\/([a-z-]+\.md), (?:decisions? )?([A-Z]?\d+(?:(?:,| and| to) [A-Z]?\d+)*)(?!\d|\.\d)/g

test('every section of the contract that a comment cites is in docs/contract', () => {
  const sources = globSync('{packages,interop,benchmarks,faults,tools}/**/*.{ts,js,py,go}', {
    cwd: root,
  }).filter((path) => !/node_modules|\.venv|tools\/docs\//.test(path))
  let cited = 0
  for (const source of sources) {
    for (const [, file, list] of read(source).matchAll(
      /contract\/([a-z-]+\.md)((?:(?:,| to)? ?\d+\.\d+)*)/g,
    )) {
      const page = read(`docs/contract/${file}`)
      for (const [section] of (list ?? '').matchAll(/\d+\.\d+/g)) {
        cited++
        const [chapter, item] = section.split('.')
        const heading = new RegExp(`^### ${chapter}\\.${item} `, 'm').test(page)
        assert.ok(heading, `${source} cites ${file} ${section}, which is not in docs/contract/${file}`)
      }
    }
    // A citation may continue on the next line of its comment.
    const text = read(source).replace(/\n\s*(\*|\/\/|#) /g, ' ')
    for (const [, file, list] of text.matchAll(CITED_DECISIONS)) {
      for (const [number] of (list ?? '').matchAll(/[A-Z]?\d+/g)) {
        const decided = new RegExp(`^\\| ${number} \\|`, 'm').test(read(`docs/contract/${file}`))
        assert.ok(
          decided,
          `${source} cites decision ${number} of ${file}, which is not in docs/contract/${file}`,
        )
      }
    }
    for (const [, file, title] of text.matchAll(/contract\/([a-z-]+\.md), "([^"]+)"/g)) {
      const found = read(`docs/contract/${file}`).includes(`\n## ${title}\n`)
      assert.ok(found, `${source} cites "${title}" of ${file}, which is not in docs/contract/${file}`)
    }
  }
  assert.ok(cited > 10, 'the pattern no longer finds the citations')
})

test('no page refers to files outside the project', () => {
  for (const page of PAGES) assert.doesNotMatch(read(page), /\.\.\/shared|\/work\//, page)
})
