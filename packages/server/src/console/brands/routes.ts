/** Routes for the pages about brands, models, and the records that belong to them. */
import { MANAGEMENT_OPERATIONS, PART_BYTES } from '@ratafia/api/schemas'
import { invalidField } from '../../errors.ts'
import type { ConsoleAsked } from '../../http/console/asked.ts'
import { refuseBeforeTyping, refuseBeforeTypingForAll } from '../../http/console/before-typing.ts'
import { type ConsoleRoutes, GoTo } from '../../http/console/console-routes.ts'
import type { SentFile } from '../../http/console/upload.ts'
import { mayForAll } from '../../web/console/may.ts'
import {
  hardwarePage,
  importAllowListPage,
  importHardwarePage,
} from '../../web/console/models/import-pages.ts'
import { modelName } from '../../web/console/models/model-table.ts'
import { words } from '../../web/words/en.ts'
import { allowListPageRoutes } from './allow-list-routes.ts'
import { apiKeyPageRoutes } from './api-key-routes.ts'
import { brandPageRoutes, signingKeyPageRoutes } from './brand-routes.ts'
import { modelOf, pasted } from './common-routes.ts'
import { modelPageRoutes, newModelPageRoutes, policyPageRoutes, remodelPageRoutes } from './model-routes.ts'

const api = MANAGEMENT_OPERATIONS

function hardwarePageRoutes({ page }: ConsoleRoutes): void {
  page('/hardware-identities', async ({ call, me, query }) => {
    const { hardware_identities: identities, next } = await call(api.hardwareIdentities, {
      query: { cursor: query.get('cursor') },
    })
    return hardwarePage({ identities, next, query, mayImport: mayForAll(me, 'models:manage') })
  })
}

export function brandPages(pages: ConsoleRoutes): void {
  brandPageRoutes(pages)
  signingKeyPageRoutes(pages)
  newModelPageRoutes(pages)
  modelPageRoutes(pages)
  policyPageRoutes(pages)
  remodelPageRoutes(pages)
  apiKeyPageRoutes(pages)
  allowListPageRoutes(pages)
  hardwarePageRoutes(pages)
  importPageRoutes(pages)
}

function importPageRoutes({ form }: ConsoleRoutes): void {
  form('/models/:brand/:model/allow-list/import', {
    file: {
      bytes: PART_BYTES,
      refuse: async (asked) =>
        refuseBeforeTyping(asked.authority, 'models:manage', (await modelOf(asked)).brand_id),
    },
    show: async (asked) => importAllowListPage({ form: asked.form, model: await modelOf(asked) }),
    send: async (asked, file) => {
      const model = modelName(await modelOf(asked))
      const format = asked.fields.get('format')
      return importBy(asked, file, { kind: 'allow-list.import', model, format }, words.allowList)
    },
  })

  form('/hardware-identities/import', {
    file: {
      bytes: PART_BYTES,
      refuse: ({ authority }) => refuseBeforeTypingForAll(authority, 'models:manage'),
    },
    show: async ({ form: state }) => importHardwarePage(state),
    send: (asked, file) => importBy(asked, file, { kind: 'hardware-identities.import' }, words.hardware),
  })
}

interface Import {
  readonly kind: 'allow-list.import' | 'hardware-identities.import'
  readonly model?: string
  readonly format?: string | undefined
}

interface Words {
  readonly nothing: string
  readonly notBoth: string
  readonly queued: string
  readonly queuedTry: string
}

/**
 * Creates the job of the import; with the button `try`, the job only validates. Throws `invalid-field` for no file or
 * for both a file and rows, and the operation's errors.
 */
async function importBy(
  { call, fields }: Pick<ConsoleAsked, 'call' | 'fields'>,
  file: SentFile | undefined,
  wanted: Import,
  text: Words,
): Promise<GoTo> {
  const rows = pasted(fields, 'rows')
  if (file && rows !== '') throw invalidField(text.notBoth, { field: 'rows' })
  const bytes = file?.bytes ?? Buffer.from(rows === '' ? '' : `${rows}\n`)
  if (bytes.length === 0) throw invalidField(text.nothing, { field: 'file' })
  const dryRun = fields.get('do') === 'try'
  const made = await call(api.makeJob, {
    ...{ query: { ...wanted }, dryRun },
    file: { bytes, mediaType: 'application/octet-stream' },
  })
  if (!('id' in made)) throw new TypeError('The job with the file has no id')
  return new GoTo(`/console/jobs/${made.id}`, dryRun ? text.queuedTry : text.queued)
}
