/** Routes for the status and package directory pages. */
import { MANAGEMENT_OPERATIONS, PART_BYTES } from '@ratafia/api/schemas'
import { invalidField } from '../errors.ts'
import { refuseBeforeTypingForAll } from '../http/console/before-typing.ts'
import { requireTyped } from '../http/console/confirmation.ts'
import { type ConsoleRoutes, GoTo } from '../http/console/console-routes.ts'
import { may } from '../web/console/may.ts'
import { importPackagesPage, packagesPage } from '../web/console/status/packages-pages.ts'
import { statusPage } from '../web/console/status/status-page.ts'
import { words } from '../web/words/en.ts'

const api = MANAGEMENT_OPERATIONS
const text = words.packages

export function statusPageRoutes({ page, form }: ConsoleRoutes): void {
  page('/status', async ({ call, me, now }) => statusPage({ status: await call(api.status), me, now }))

  page('/packages', async ({ call, query, me }) => {
    const { packages, next } = await call(api.packages, { query: { cursor: query.get('cursor') } })
    return packagesPage({ packages, next, query, mayImport: may(me, 'roles:manage') })
  })

  form('/packages/import', {
    file: {
      bytes: PART_BYTES,
      refuse: ({ authority }) => refuseBeforeTypingForAll(authority, 'roles:manage'),
    },
    show: async ({ form }) => importPackagesPage(form),
    send: async ({ call, fields }, file) => {
      if (!file || file.bytes.length === 0) throw invalidField(text.fileMissing, { field: 'file' })
      const dryRun = fields.get('do') !== 'import'
      const replaces = fields.get('replace_all') === 'on'
      if (replaces && !dryRun) requireTyped(fields, text.replaceWord)
      const made = await call(api.makeJob, {
        query: {
          kind: 'packages.import',
          format: fields.get('format'),
          replace_all: replaces ? 'true' : undefined,
        },
        file: { bytes: file.bytes, mediaType: 'application/octet-stream' },
        dryRun,
      })
      // The API never returns a preview for a file: a job validates it.
      if (!('id' in made)) throw new TypeError('The API did not create a job for the file')
      return new GoTo(`/console/jobs/${encodeURIComponent(made.id)}`, dryRun ? text.trying : text.importing)
    },
  })
}
