/** Builds the docs site: every page of docs/ and the pages at the root of the repository, without dates or scripts. */
import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { CONSOLE_STYLE } from '../../../packages/server/src/web/console/style.ts'
import { type Group, layout, list, titleOf } from './layout.ts'
import { outputOf, type Page, relativeUrl, resolveLink } from './links.ts'
import { type Parsed, parse, render, textOf } from './markdown.ts'

/** A page in Markdown without a file in the repository. Its path is where the file would be. */
export interface Generated {
  readonly path: string
  readonly markdown: string
  /** Whether the navigation has it. */
  readonly isListed: boolean
}

type Source = Page & Parsed

const AT_THE_ROOT = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md']
const INDEX = 'docs/README.md'

/**
 * Returns the files of the site by path, sorted. `generated` pages get a group of their own in the navigation.
 * Throws an Error that lists every dead link and every link to a missing heading.
 */
export function buildSite(root: string, generated: readonly Generated[] = []): ReadonlyMap<string, Buffer> {
  const pages = readPages(root, generated)
  const problems: string[] = []
  const files = new Map<string, Buffer>()
  for (const page of pages.values()) {
    for (const token of page.tokens.flatMap(({ children }) => children ?? [])) {
      const name = token.type === 'image' ? 'src' : 'href'
      const link = token.attrGet(name)
      if (typeof link !== 'string') continue
      try {
        const url = resolveLink(link, page, { root, pages })
        token.attrSet(name, name === 'src' ? copyPicture(link, page, root, files) : url)
      } catch (error) {
        problems.push(`${page.path}: ${error instanceof Error ? error.message : error}`)
      }
    }
  }
  if (problems.length > 0) throw new Error(`The docs have dead links:\n${problems.join('\n')}`)
  const navigation = navigationOf(pages, generated)
  const add = (name: string, text: string) => files.set(name, Buffer.from(text))
  for (const page of pages.values()) add(page.output, layout({ ...page, body: render(page) }, navigation))
  add('pages.html', allPages(pages, navigation))
  add('style.css', CONSOLE_STYLE + readFileSync(join(import.meta.dirname, 'style.css'), 'utf8'))
  add('search.js', readFileSync(join(import.meta.dirname, 'search.js'), 'utf8'))
  add('search-index.js', `searchIndex=${JSON.stringify(searchIndex(pages))}\n`)
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function readPages(root: string, generated: readonly Generated[]): ReadonlyMap<string, Source> {
  const paths = globSync([...AT_THE_ROOT, 'docs/**/*.md'], { cwd: root }).map((path) =>
    path.replaceAll('\\', '/'),
  )
  const read = paths.map((path) => ({ path, markdown: readFileSync(join(root, path), 'utf8') }))
  const pages = new Map<string, Source>()
  const outputs = new Map([['pages.html', 'the list of all pages']])
  for (const { path, markdown } of [...read, ...generated].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const output = outputOf(path)
    const other = outputs.get(output)
    if (other !== undefined) throw new Error(`${path} and ${other} would both be ${output}`)
    outputs.set(output, path)
    try {
      pages.set(path, { path, output, ...parse(markdown) })
    } catch (error) {
      throw new Error(`${path} ${error instanceof Error ? error.message : error}`)
    }
  }
  return pages
}

/** Adds the picture to `files`, in the same place below the site as below docs/. Returns its URL. */
function copyPicture(link: string, { path, output }: Page, root: string, files: Map<string, Buffer>): string {
  const source = posix.join(posix.dirname(path), decodeURI(link))
  if (!source.startsWith('docs/')) throw new Error(`a picture outside docs/: ${link}`)
  const name = outputOf(source)
  files.set(name, readFileSync(join(root, source)))
  return relativeUrl(output, name)
}

/** Returns the groups of the index with their links to pages, then a group for the generated pages. */
function navigationOf(pages: ReadonlyMap<string, Source>, generated: readonly Generated[]): readonly Group[] {
  const index = pages.get(INDEX)
  if (!index) throw new Error(`${INDEX} is missing`)
  const outputs = new Set([...pages.values()].map(({ output }) => output))
  const groups = [{ title: titleOf(index), links: [{ text: 'Overview', url: index.output }] }]
  for (const [at, { type, tag, children }] of index.tokens.entries()) {
    const inline = children ?? []
    if (type === 'heading_open' && tag === 'h2') {
      groups.push({ title: textOf(index.tokens[at + 1]?.children ?? []), links: [] })
    }
    for (const [place, token] of inline.entries()) {
      const url = String(token.attrGet('href') ?? '')
      const end = inline.findIndex(({ type }, other) => other > place && type === 'link_close')
      if (outputs.has(url.split('#')[0] ?? '')) {
        groups.at(-1)?.links.push({ text: textOf(inline.slice(place, end)), url })
      }
    }
  }
  const made = generated.flatMap(({ path, isListed }) => (isListed ? (pages.get(path) ?? []) : []))
  const links = made.map((page) => ({ text: titleOf(page), url: page.output }))
  return links.length === 0 ? groups : [...groups, { title: 'HTTP API', links }]
}

function allPages(pages: ReadonlyMap<string, Source>, navigation: readonly Group[]): string {
  const links = [...pages.values()].map((page) => ({ text: titleOf(page), url: page.output }))
  const body = `<h1>All pages</h1>\n${list(links, '')}`
  const headings = [{ level: 1, text: 'All pages', anchor: '', words: '' }]
  return layout({ output: 'pages.html', headings, body }, navigation)
}

/** Returns the sections of all pages: URL, title of the page, heading, the words of the text once each. */
const searchIndex = (pages: ReadonlyMap<string, Source>): readonly (readonly string[])[] =>
  [...pages.values()].flatMap((page) =>
    page.headings.map(({ level, text, anchor, words }) => [
      level === 1 ? page.output : `${page.output}#${anchor}`,
      titleOf(page),
      text,
      [...new Set(words.toLowerCase().match(/\p{L}[\p{L}\p{N}_./-]+[\p{L}\p{N}]/gu))].join(' '),
    ]),
  )
