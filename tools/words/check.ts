import { globSync, readFileSync } from 'node:fs'
import { parseSources } from '../import-rules/sources.ts'
import { markdownPassages, type Passage, sourcePassages } from './passages.ts'
import { PATTERNS } from './patterns.ts'

export interface Report {
  /** How many files were checked. */
  readonly files: number
  /** One text for each finding: where, what was found in which words, what to write. Sorted by file. */
  readonly findings: readonly string[]
}

const SOURCES = '{packages,examples,faults,interop,benchmarks,packaging,tools}/**/*.{ts,mts,js,mjs}'
const PAGES = ['*.md', '{docs,packages,examples,faults,interop,benchmarks}/**/*.md']
/** Files written by others, and those of this check that quote the wording. */
const NOT_OURS =
  /(?:^|\/)(?:node_modules|vectors|dist|\.[^/]+)\/|^tools\/words\/(?:check\.test|patterns|planted\.fixture)\.ts$/

/** Checks the sources and pages at `root` (absolute). */
export function check(root: string): Report {
  const found = (patterns: string | readonly string[]) =>
    globSync(patterns, { cwd: root, exclude: (path) => /(?:^|\/)(?:node_modules|dist|\.[^/]+)$/.test(path) })
      .filter((path) => !NOT_OURS.test(path))
      .sort()
  const pages = found(PAGES)
  const sources = found(SOURCES)
  const parsed = parseSources(
    root,
    sources.map((path) => `${root}/${path}`),
  )
  const findings = [
    ...pages.flatMap((path) => faults(path, markdownPassages(readFileSync(`${root}/${path}`, 'utf8')))),
    ...sources.flatMap((path) => {
      const source = parsed.get(`${root}/${path}`)
      return source === undefined ? [] : faults(path, sourcePassages(source))
    }),
  ]
  return { files: pages.length + sources.length, findings }
}

const faults = (path: string, passages: readonly Passage[]): readonly string[] =>
  passages.flatMap((passage) => faultsOf(passage).map((fault) => `${path}:${fault}`))

/** `LINE: NAME: "the words around it"`, and what to write. A line break counts as a space. */
function faultsOf({ place, line, text }: Passage): readonly string[] {
  const read = text.replaceAll(/\s/g, ' ')
  return PATTERNS.filter(({ places }) => places === undefined || places.includes(place)).flatMap(
    ({ name, pattern, instead }) => {
      const { index, 0: words } = pattern.exec(read) ?? { index: -1, 0: '' }
      if (index < 0) return []
      const at = line + text.slice(0, index).split('\n').length - 1
      const around = read.slice(Math.max(0, index - 30), index + words.length + 30).trim()
      return [`${at}: ${name}: "${around}"\n  write ${instead}`]
    },
  )
}
