/** Tests `/docs/`: the docs site, from its packed form. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { packSite, readSite } from '../../src/http/description/docs-site.ts'
import { oneDatabase } from '../support/databases.ts'
import { sendRaw } from '../support/raw-http.ts'
import { testService } from '../support/service.ts'

const FILES = {
  'index.html': '<!doctype html><h1>Documentation</h1>',
  'ci/index.html': '<!doctype html><h1>CI</h1>',
  'ci/rules.html': `<!doctype html><h1>Rules</h1>${'<p>A rule names a job.</p>'.repeat(100)}`,
  'style.css': 'h1{color:red}',
  'search.js': 'void 0',
  'plot.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'pictures/a.jpg': '\u00ff\u00d8',
}
const packed = packSite(new Map(Object.entries(FILES).map(([path, text]) => [path, Buffer.from(text)])))
const HTML = 'text/html; charset=utf-8'

describe('the docs site', () => {
  oneDatabase((_kind, _open, fresh) => {
    let reads = 0
    const service = testService(
      fresh,
      {},
      {
        readDocs: async () => {
          reads++
          return readSite(packed)
        },
      },
    )
    const get = (path: string, init: RequestInit = {}) =>
      fetch(`${service.baseUrl}${path}`, { redirect: 'manual', ...init })

    test('is not read before the first request, and then once', async () => {
      assert.equal(reads, 0)
      for (const _ of [1, 2]) assert.equal((await get('/docs/')).status, 200)
      assert.equal(reads, 1)
    })

    for (const [path, name, type] of [
      ['/docs/', 'index.html', HTML],
      ['/docs/?from=mail', 'index.html', HTML],
      ['/docs/ci/', 'ci/index.html', HTML],
      ['/docs/ci/rules.html', 'ci/rules.html', HTML],
      ['/docs/style.css', 'style.css', 'text/css; charset=utf-8'],
      ['/docs/search.js', 'search.js', 'text/javascript; charset=utf-8'],
      ['/docs/plot.svg', 'plot.svg', 'image/svg+xml'],
      ['/docs/pictures/a.jpg', 'pictures/a.jpg', 'image/jpeg'],
    ] as const) {
      test(`${path} is ${name}`, async () => {
        const answer = await get(path)
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, type])
        assert.equal(await answer.text(), FILES[name])
      })
    }

    test('/docs redirects to the directory, to which all links of its pages are relative', async () => {
      const { status, headers } = await get('/docs')
      assert.deepEqual([status, headers.get('location')], [308, '/docs/'])
    })

    test('pages run only scripts of this service, cannot be framed, and their types are not guessed', async () => {
      for (const path of ['/docs/', '/docs/plot.svg']) {
        const { headers } = await get(path)
        assert.equal(
          headers.get('content-security-policy'),
          "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        )
        for (const [name, value] of [
          ['x-content-type-options', 'nosniff'],
          ['x-frame-options', 'DENY'],
          ['referrer-policy', 'no-referrer'],
          ['cross-origin-resource-policy', 'same-origin'],
          ['cache-control', 'public, max-age=300'],
        ] as const) {
          assert.equal(headers.get(name), value, name)
        }
      }
    })

    test('files are compressed for clients that accept gzip, and are not sent again to those that have them', async () => {
      const path = '/docs/ci/rules.html'
      const plain = await get(path, { headers: { 'accept-encoding': 'identity' } })
      assert.equal(plain.headers.get('content-encoding'), null)
      assert.equal(plain.headers.get('vary'), 'Accept-Encoding')
      assert.equal(await plain.text(), FILES['ci/rules.html'])
      const small = await get(path, { method: 'HEAD', headers: { 'accept-encoding': 'gzip' } })
      assert.equal(small.headers.get('content-encoding'), 'gzip')
      assert.ok(Number(small.headers.get('content-length')) < 200)
      const etag = plain.headers.get('etag') ?? assert.fail('it has no ETag')
      assert.equal(small.headers.get('etag'), etag)
      const again = await get(path, { headers: { 'if-none-match': etag } })
      assert.deepEqual([again.status, await again.text()], [304, ''])
      assert.notEqual((await get('/docs/')).headers.get('etag'), etag)
    })

    test('other methods are refused', async () => {
      assert.equal((await get('/docs/', { method: 'POST' })).status, 405)
    })

    test('security: only names of the site are found, however a path is written', async () => {
      for (const path of [
        ...[
          '/docs/no-such-page.html',
          '/docs/ci',
          '/docs/ci/rules.html/',
          '/docs/index.html/..',
          '/docs//style.css',
        ],
        ...[
          '/docs/../docs-site.json',
          '/docs/../../../etc/passwd',
          '/docs/%2e%2e/%2e%2e/etc/passwd',
          '/docs/./style.css',
        ],
        ...[
          '/docs/..%2f..%2fetc%2fpasswd',
          '/docs/..\\..\\etc\\passwd',
          '/docs/style.css%00',
          '/docs/%2fetc/passwd',
        ],
        ...[
          '/docs/__proto__',
          '/docs/constructor',
          '/docs/toString',
          '/docs/INDEX.HTML',
          '/docs/style.css;x',
          '/docs/%73tyle.css',
          '/docs/style.css#x',
        ],
      ]) {
        const [answer] = await sendRaw(
          service.baseUrl,
          `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
        )
        assert.equal(answer?.status, 404, path)
        assert.match(answer?.body ?? '', /The documentation of this release has no such page/, path)
        assert.match(answer?.body ?? '', /href="\/docs\/"/, path)
        assert.match(
          answer?.headers.get('content-security-policy') ?? '',
          /^default-src 'none'; style-src 'sha256-/,
        )
      }
    })

    test('the front page links to it', async () => {
      const page = await (await get('/console/', { headers: { accept: 'text/html' } })).text()
      assert.ok(page.includes(`href="${service.baseUrl}/docs/"`))
    })
  })

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, {}, { readDocs: async () => undefined })

    test('a program that was built without it shows how to build it', async () => {
      const answer = await fetch(`${service.baseUrl}/docs/`)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, HTML])
      assert.match(await answer.text(), /npm run docs:site/)
    })
  })

  oneDatabase((_kind, _open, fresh) => {
    const service = testService(fresh, { RATAFIA_DOCS: 'off' }, { readDocs: async () => readSite(packed) })

    test('with RATAFIA_DOCS=off it is not served, and no page links to it', async () => {
      for (const path of ['/docs', '/docs/', '/docs/style.css']) {
        const answer = await fetch(`${service.baseUrl}${path}`, { redirect: 'manual' })
        assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/json'], path)
      }
      const page = await fetch(`${service.baseUrl}/console/`, { headers: { accept: 'text/html' } })
      assert.doesNotMatch(await page.text(), /\/docs\//)
    })
  })

  test('the same files are packed into the same bytes, and a file of another type is refused', () => {
    const files = new Map([['index.html', Buffer.from('a')]])
    assert.deepEqual(packSite(files), packSite(files))
    for (const name of ['run.sh', 'html', 'index.html.exe']) {
      assert.throws(() => packSite(new Map([[name, Buffer.from('a')]])), {
        name: 'TypeError',
        message: `a docs site cannot have a file like ${name}`,
      })
    }
  })
})
