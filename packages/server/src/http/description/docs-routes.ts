/** `GET /docs/`: the documentation of this release. */
import type { FastifyInstance } from 'fastify'
import { DOCS_HEADERS } from '../../web/headers.ts'
import { noDocsPage, noSuchDocsPage } from '../../web/message-page.ts'
import { sendPage } from '../../web/send-page.ts'
import { pathOf } from '../app.ts'
import type { DocsSite } from './docs-site.ts'
import { sendPacked } from './send-document.ts'

interface DocsRoutes {
  readonly baseUrl: string
  /** Resolves to undefined if this installation has no site. */
  readonly readDocs: () => Promise<DocsSite | undefined>
}

const OPTIONS = { config: { limit: 'pages', anyQuery: true } } as const

export function docsRoutes(app: FastifyInstance, { baseUrl, readDocs }: DocsRoutes): void {
  const root = `${pathOf(baseUrl)}/docs/`
  // Read for the first request: most processes never get one, and it takes a megabyte.
  let site: DocsSite | undefined
  app.get('/docs', OPTIONS, (_request, reply) => reply.redirect(root, 308))
  app.get<{ Params: { '*': string } }>('/docs/*', OPTIONS, async (request, reply) => {
    site ??= await readDocs()
    if (!site) return sendPage(reply, 404, noDocsPage())
    const path = request.params['*']
    const file = site.get(path === '' || path.endsWith('/') ? `${path}index.html` : path)
    // The router has decoded the path, and a page has one address.
    const isAsWritten = request.url.split('?', 1)[0]?.endsWith(`/docs/${path}`)
    if (!file || !isAsWritten) return sendPage(reply, 404, noSuchDocsPage(root))
    return sendPacked(request, reply.headers(DOCS_HEADERS), file)
  })
}
