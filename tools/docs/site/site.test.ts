// The docs site: anchors as GitHub makes them, every link leads somewhere, the same bytes each time.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { managementOpenApi, openApi } from '@ratafia/api/schemas'
import { RELEASE_TAG, REPOSITORY } from '../../repository.ts'
import { docsSite, docsSiteAsset } from './docs-site.ts'
import { parse } from './markdown.ts'
import { buildSite } from './site.ts'

const INDEX =
  '# Documentation\n\nNew? [Start](start.md).\n\n## Operator\n\n- [Deploy](run/deploy.md): it runs.\n'
const SMALL = {
  'docs/README.md': INDEX,
  'docs/start.md': '# Start\n\nSee [deploy](run/deploy.md#two-nodes) and [below](#the-end).\n\n## The end\n',
  'docs/run/deploy.md':
    '# Deploy it\n\n## Two nodes\n\nBack to [start](../start.md), [home](../README.md).\n',
}

/** Builds the site of a repository with these files. */
function siteOf(files: Readonly<Record<string, string>>): ReadonlyMap<string, Buffer> {
  const root = mkdtempSync(join(tmpdir(), 'ratafia-site-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return buildSite(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** Returns the main part of a page. */
const mainOf = (files: ReadonlyMap<string, Buffer>, name: string): string =>
  /<main id="main">([\s\S]*)<\/main>/.exec(String(files.get(name)))?.[1] ?? assert.fail(`no page ${name}`)

test('headings get the anchors of GitHub', () => {
  // Evidence: the anchors that GitHub showed for these headings.
  const headings = [
    ['Back up the database', 'back-up-the-database'],
    ['`invalid-request` (400)', 'invalid-request-400'],
    ['… an endpoint', '-an-endpoint'],
    ['Sign & verify', 'sign--verify'],
    ['A [link](https://example.com) in **bold**', 'a-link-in-bold'],
    ['snake_case and Größe', 'snake_case-and-größe'],
    ['`GET /api/v2/{id}`', 'get-apiv2id'],
    ['Twice', 'twice'],
    ['Twice', 'twice-1'],
    ['Twice 1', 'twice-1-1'],
    ['Twice', 'twice-2'],
    ['Once 1', 'once-1'],
    ['Once', 'once'],
    ['Once', 'once-2'],
  ] as const
  const text = headings.map(([heading]) => `## ${heading}`).join('\n\n')
  assert.deepEqual(
    parse(text).headings.map(({ anchor }) => anchor),
    headings.map(([, anchor]) => anchor),
  )
})

test('links between pages lead to their files and headings, in both directions', () => {
  const files = siteOf(SMALL)
  assert.deepEqual(
    [...files.keys()],
    [
      'index.html',
      'pages.html',
      'run/deploy.html',
      'search-index.js',
      'search.js',
      'start.html',
      'style.css',
    ],
  )
  assert.match(mainOf(files, 'start.html'), /href="run\/deploy.html#two-nodes"[\s\S]*href="#the-end"/)
  assert.match(mainOf(files, 'run/deploy.html'), /href="\.\.\/start.html"[\s\S]*href="\.\.\/index.html"/)
})

test('pages at the root of the repository are pages, with links from and to docs/', () => {
  const files = siteOf({
    ...SMALL,
    'README.md': '# Ratafia\n\n[Deploy](docs/run/deploy.md)\n',
    'docs/start.md': '# Start\n\n[About](../README.md)\n',
  })
  assert.match(mainOf(files, 'readme.html'), /href="run\/deploy.html"/)
  assert.match(mainOf(files, 'start.html'), /href="readme.html"/)
})

test('a link to a file or folder without a page leads to the repository at the tag of the release', () => {
  const files = siteOf({
    ...SMALL,
    'src/a.ts': '',
    'docs/start.md': '# Start\n\n[a](../src/a.ts#L3), [all](../src), [out](https://example.com/x.md#y)\n',
  })
  const main = mainOf(files, 'start.html')
  for (const url of [
    `${REPOSITORY}/blob/${RELEASE_TAG}/src/a.ts#L3`,
    `${REPOSITORY}/tree/${RELEASE_TAG}/src`,
    'https://example.com/x.md#y',
  ]) {
    assert.ok(main.includes(`href="${url}"`), `${url}\n${main}`)
  }
})

for (const [name, page, problem] of [
  ['to a missing file', '[a](missing.md)', 'no such file: missing.md'],
  ['to a missing heading', '[a](run/deploy.md#three-nodes)', 'no such heading: run/deploy.md#three-nodes'],
  ['to a missing heading of its own page', '[a](#nowhere)', 'no such heading: #nowhere'],
  ['to a missing heading of a file without a page', '[a](../notes.md#b)', 'no such heading: ../notes.md#b'],
  ['out of the repository', '[a](../../../x.md)', 'points outside the project: ../../../x.md'],
  ['to a missing picture', '![a](a.png)', 'no such file: a.png'],
] as const) {
  test(`a link ${name} fails the build, which names page and link`, () => {
    const files = { ...SMALL, 'notes.md': '# Notes\n', 'docs/start.md': `# Start\n\n${page}\n` }
    assert.throws(() => siteOf(files), { message: `The docs have dead links:\ndocs/start.md: ${problem}` })
  })
}

test('the navigation has the groups and pages of the index, and the list all pages', () => {
  const files = siteOf({ ...SMALL, 'docs/hidden.md': '# Not in the index\n' })
  const page = String(files.get('start.html'))
  assert.match(page, /<h2>Operator<\/h2><ul><li><a href="run\/deploy.html">Deploy<\/a>/)
  assert.match(page, /<a href="start.html" aria-current="page">Start<\/a>/)
  assert.doesNotMatch(page, /Not in the index/)
  const all = [...mainOf(files, 'pages.html').matchAll(/href="([^"]+)">([^<]+)/g)].map(([, url, text]) => [
    url,
    text,
  ])
  assert.deepEqual(all, [
    ['index.html', 'Documentation'],
    ['hidden.html', 'Not in the index'],
    ['run/deploy.html', 'Deploy it'],
    ['start.html', 'Start'],
  ])
})

test('pictures are copied', () => {
  const files = siteOf({
    ...SMALL,
    'docs/pictures/a.svg': '<svg/>',
    'docs/run/deploy.md': '# Deploy\n\n## Two nodes\n\n![The plot](../pictures/a.svg)\n',
  })
  assert.equal(String(files.get('pictures/a.svg')), '<svg/>')
  assert.match(mainOf(files, 'run/deploy.html'), /<img src="\.\.\/pictures\/a.svg" alt="The plot">/)
})

test('comments are left out, and other HTML fails the build', () => {
  const text = '# Start\n\n<!-- a note -->\n\nText <!-- and --> more.\n\n## The end\n'
  assert.doesNotMatch(mainOf(siteOf({ ...SMALL, 'docs/start.md': text }), 'start.html'), /<!--|note/)
  assert.throws(() => siteOf({ ...SMALL, 'docs/start.md': '# Start\n\nA <b onclick="x">b</b>\n' }), {
    message: 'docs/start.md has HTML, which the site does not show: <b onclick="x">',
  })
})

test('a right-aligned column has a class instead of an inline style', () => {
  const text = '# Start\n\n| a | b |\n|---:|:---|\n| 1 | 2 |\n\n## The end\n'
  const main = mainOf(siteOf({ ...SMALL, 'docs/start.md': text }), 'start.html')
  assert.match(main, /<td class="num">1<\/td>\n<td>2<\/td>/)
  assert.doesNotMatch(main, /style=/)
})

test('two pages never become one file', () => {
  const message = 'docs/readme.md and README.md would both be readme.html'
  assert.throws(() => siteOf({ ...SMALL, 'README.md': '# A\n', 'docs/readme.md': '# B\n' }), { message })
})

test('the search finds a section by the words of its text', () => {
  const index: readonly string[][] = JSON.parse(
    String(siteOf(SMALL).get('search-index.js')).replace(/^searchIndex=/, ''),
  )
  assert.deepEqual(
    index.find(([url]) => url === 'run/deploy.html#two-nodes'),
    ['run/deploy.html#two-nodes', 'Deploy it', 'Two nodes', 'back start home'],
  )
})

test('the site of this checkout is the same each time, without inline scripts or styles', () => {
  const files = docsSite()
  assert.deepEqual(docsSiteAsset(), docsSiteAsset())
  for (const [name, bytes] of files) {
    if (!name.endsWith('.html')) continue
    assert.doesNotMatch(String(bytes), /<style|<script(?! src=)|<[^>]* (style|on[a-z]+)=/, name)
  }
})

test('the pages of the HTTP API have every operation once, with parameters, body, answers, codes and schemas', () => {
  const files = docsSite()
  const names = [...files.keys()].filter((name) => name.startsWith('api/'))
  const shown = names.flatMap((name) =>
    [...mainOf(files, name).matchAll(/<h2 id="[^"]+"><code>([A-Z]+ [^<]+)<\/code><\/h2>/g)].map(
      ([, one]) => one,
    ),
  )
  const place = {
    baseUrl: 'https://a.example',
    identity: 'https://a.example/identity',
    deviceServicePath: '/v1',
  }
  const documents = [openApi(place), managementOpenApi(place)].map(({ paths }) =>
    Object.entries(paths as object),
  )
  const operations = documents
    .flat()
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
  assert.deepEqual(shown.toSorted(), operations.toSorted())
  const page = mainOf(files, 'api/tokens.html')
  for (const part of [
    '<td><code>include-inactive</code></td>',
    '<code>application/json</code>: <a href="#createtokenrequest">CreateTokenRequest</a>',
    '<h3 id="createtokenrequest">CreateTokenRequest</h3>',
    '<a href="../errors.html#package-not-found-400"><code>package-not-found</code></a>',
  ]) {
    assert.ok(page.includes(part), part)
  }
  assert.match(mainOf(files, 'api/management-devices.html'), /permission <code>devices:decide<\/code>/)
})
