// Keeps the documentation in step with what it is about: links, the configuration table, the commands, the sections of
// the contract that comments cite, and the form of the pages.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import type { Command } from 'commander'
import { describedProgram } from './program.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const PAGES = [
  ...globSync('*.md', { cwd: root }),
  ...globSync('{docs,packages,examples,interop,benchmarks,faults,tools}/**/*.md', { cwd: root }),
]
  .filter((path) => !/node_modules|\.venv|vectors/.test(path))
  .sort()

/** What stands in a page outside of its code blocks. */
const prose = (text: string): string => text.replace(/^ *```[\s\S]*?^ *```$/gm, '')

/** The anchors of a page's headings, as Git forges make them. */
function anchors(text: string): Set<string> {
  const headings = [...prose(text).matchAll(/^#{1,6} +(.*)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  )
}

for (const page of PAGES) {
  test(`${page}: every relative link leads to a file, and to a heading of it`, () => {
    const text = prose(read(page)).replace(/`[^`\n]*`/g, '')
    const links = [...text.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target = '']) => target)
    for (const link of links.filter((target) => !/^(https?|mailto):/.test(target))) {
      const [path = '', anchor] = link.split('#')
      const file = path === '' ? join(root, page) : resolve(root, dirname(page), path)
      assert.ok(file.startsWith(`${root}/`), `${link} leads out of the project`)
      assert.ok(existsSync(file), `${link} leads nowhere`)
      if (anchor !== undefined) {
        assert.ok(anchors(readFileSync(file, 'utf8')).has(anchor), `${link}: no such heading`)
      }
    }
  })
}

for (const page of PAGES.filter((path) => /^(README|SECURITY|CHANGELOG|docs\/.*)\.md$/.test(path))) {
  test(`${page}: lines of text have at most 120 characters`, () => {
    const long = prose(read(page))
      .split('\n')
      .filter((line) => line.length > 120 && !line.startsWith('|'))
    assert.deepEqual(long, [])
  })
}

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
      // In running text "ratafia listening on …" is no command.
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

test('every section of the contract that a comment cites is in docs/contract', () => {
  const sources = globSync('{packages,interop,benchmarks,faults,tools}/**/*.{ts,js,py,go}', {
    cwd: root,
  }).filter((path) => !/node_modules|\.venv|tools\/docs\//.test(path))
  let cited = 0
  for (const source of sources) {
    for (const [, file, list] of read(source).matchAll(
      /contract\/([a-z]+\.md)((?:(?:,| to)? ?\d+\.\d+)*)/g,
    )) {
      const page = read(`docs/contract/${file}`)
      for (const [section] of (list ?? '').matchAll(/\d+\.\d+/g)) {
        cited++
        const [chapter, item] = section.split('.')
        const heading = new RegExp(`^### ${chapter}\\.${item} `, 'm').test(page)
        assert.ok(heading, `${source} cites ${file} ${section}, which docs/contract/${file} does not have`)
      }
    }
    for (const [, file, number] of read(source).matchAll(/contract\/([a-z]+\.md), decision (\d+)/g)) {
      assert.match(
        read(`docs/contract/${file}`),
        new RegExp(`^\\| ${number} \\|`, 'm'),
        `${source}: decision ${number}`,
      )
    }
  }
  assert.ok(cited > 10, 'the comments cite the contract')
})

test('no page sends its reader out of the project', () => {
  for (const page of PAGES) assert.doesNotMatch(read(page), /\.\.\/shared|\/work\//, page)
})
