/** Finds what a link of a page leads to: another page of the site, a file of the repository, another site. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { sourceUrl } from '../../repository.ts'
import { type Heading, parse } from './markdown.ts'

export interface Page {
  /** In the repository, with forward slashes: `docs/ci/rules.md`. */
  readonly path: string
  /** In the site: `ci/rules.html`. */
  readonly output: string
  readonly headings: readonly Heading[]
}

export interface Site {
  /** The repository. */
  readonly root: string
  readonly pages: ReadonlyMap<string, Page>
}

/** Returns the path of the page's file in the site. */
export function outputOf(path: string): string {
  const name = path.startsWith('docs/')
    ? path.slice(5).replace(/README\.md$/, 'index.md')
    : path.toLowerCase()
  return name.replace(/\.md$/, '.html')
}

/** Returns the URL of `to`, a file in the site, relative to `from`. */
export const relativeUrl = (from: string, to: string): string => posix.relative(posix.dirname(from), to)

/** Returns the URL of a link or a picture (`source`) for the site. Throws an Error with the reason and the link. */
export function resolveLink(link: string, { path: from, output }: Page, { root, pages }: Site): string {
  if (/^(https?|mailto):/.test(link)) return link
  const [target = '', anchor] = decodeURI(link).split('#')
  const path = target === '' ? from : posix.join(posix.dirname(from), target)
  if (path.startsWith('../')) throw new Error(`points outside the project: ${link}`)
  const page = pages.get(path)
  if (!page && !existsSync(join(root, path))) throw new Error(`no such file: ${link}`)
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (hash !== '' && path.endsWith('.md')) {
    const { headings } = page ?? parse(readFileSync(join(root, path), 'utf8'))
    if (!headings.some((heading) => heading.anchor === anchor)) throw new Error(`no such heading: ${link}`)
  }
  if (!page) return sourceUrl(path, statSync(join(root, path)).isDirectory()) + hash
  return page.output === output && hash !== '' ? hash : relativeUrl(output, page.output) + hash
}
