/** The frame of every page of the docs site: search, content, navigation. It needs no script. */
import { RELEASE_TAG, REPOSITORY } from '../../repository.ts'
import { type Page, relativeUrl } from './links.ts'
import { escaped } from './markdown.ts'

export interface Group {
  readonly title: string
  readonly links: readonly Link[]
}

interface Link {
  readonly text: string
  /** In the site, with its anchor. */
  readonly url: string
}

interface Content extends Pick<Page, 'output' | 'headings'> {
  readonly body: string
}

export const titleOf = ({ headings, output }: Pick<Page, 'output' | 'headings'>): string =>
  headings.find(({ level }) => level === 1)?.text ?? output

/** Returns the whole document of a page. */
export function layout({ output, headings, body }: Content, navigation: readonly Group[]): string {
  const root = relativeUrl(output, 'x').slice(0, -1)
  const sections = headings.filter(({ level }) => level === 2)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(titleOf({ headings, output }))} · Ratafia</title>
<link rel="stylesheet" href="${root}style.css">
<script src="${root}search.js" data-root="${root}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><a class="brand" href="${root}index.html"><strong>Ratafia</strong> documentation</a>
<form id="search" role="search" hidden><input type="search" aria-label="Search the documentation"
placeholder="Search" autocomplete="off" aria-controls="results"></form>
<a href="${root}pages.html">All pages</a> <a class="menu" href="#pages">Menu</a></header>
<ul id="results" class="card" aria-live="polite" hidden></ul>
<div class="columns">
<main id="main">
${
  sections.length < 3
    ? ''
    : `<details class="card"><summary>On this page</summary>${list(
        sections.map(({ anchor, text }) => ({ url: `#${anchor}`, text })),
        '',
      )}</details>`
}
${body}
</main>
<nav id="pages" aria-label="Pages">
${navigation.map(({ title, links }) => `<h2>${escaped(title)}</h2>${list(links, root, output)}`).join('\n')}
<p class="quiet">Ratafia ${RELEASE_TAG.slice(1)} · <a href="${REPOSITORY}">source</a></p>
</nav>
</div>
</body>
</html>
`
}

/** `current`: the page that the list is on. */
export const list = (links: readonly Link[], root: string, current?: string): string =>
  `<ul>${links
    .map(({ url, text }) => {
      const here = url === current ? ' aria-current="page"' : ''
      return `<li><a href="${root}${url}"${here}>${escaped(text)}</a></li>`
    })
    .join('')}</ul>`
