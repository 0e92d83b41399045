/** The kinds of jobs that import a file, a row each: all of it in one transaction, or nothing (A17). */
import { MOST_PARTS } from '@ratafia/api/schemas'
import { importAllowList, readEntries } from '../../../brands/models/allow-list/import-allow-list.ts'
import { removeAllowed } from '../../../brands/models/allow-list/remove-allowed.ts'
import { importHardwareIdentities } from '../../../brands/models/hardware/import-hardware-identities.ts'
import { parseModelName } from '../../../brands/models/model-policy.ts'
import { importDevices } from '../../../devices/transfer/import-devices.ts'
import { invalidField, RequestError } from '../../../errors.ts'
import { ImportError, type ImportFormat } from '../../../files/import-rows.ts'
import { importPackages, planImport } from '../../../package-directory/import.ts'
import type { Stores } from '../../../stores.ts'
import type { Counts } from '../job.ts'
import type { FileItem, FileOptions, JobKind, Settings } from '../job-kind.ts'

type Import = (item: FileItem, stores: Stores) => Promise<Counts>

/** The format of a file by its media type, if no option names it. */
const FORMATS: Readonly<Record<string, ImportFormat>> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/json': 'json',
}

/** The possible values of a missing option. */
const MISSING = {
  format: 'csv, json or ndjson. A media type also works: text/csv, application/json or application/x-ndjson',
  model: 'BRAND/MODEL',
}

/** Refuses options of other kinds. Throws `invalid-field`. */
const only =
  (...names: readonly (keyof FileOptions)[]) =>
  (options: FileOptions, mediaType = ''): Settings => {
    const { format = FORMATS[mediaType], ...rest } = options
    const given = names.includes('format') ? { ...rest, format } : options
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined || names.some((one) => one === name)) continue
      throw invalidField(`${name} is not for a job of this kind.`, { field: name })
    }
    for (const name of ['format', 'model'] as const) {
      if (!names.includes(name) || given[name] !== undefined) continue
      throw invalidField(`${name} is missing: ${MISSING[name]}.`, { field: name })
    }
    return Object.fromEntries(names.flatMap((name) => (given[name] ? [[name, String(given[name])]] : [])))
  }

/** The maximum number of parts of a file that is parsed in one step, which blocks everything else. */
const MOST_IN_MEMORY = 2

/** The problems of the file become the refusal of the job's only item. */
const fileKind = (
  needs: JobKind['needs'],
  fileSettings: NonNullable<JobKind['fileSettings']>,
  importFile: Import,
  mostParts = MOST_IN_MEMORY,
) => ({
  ...{ needs, devices: false, recentPerson: false, fileSettings, mostParts },
  settingsOf: () => {
    throw invalidField(
      'Send the file as the body with kind in the query, or in parts with "parts" in a JSON body.',
      {
        field: 'body/parts',
      },
    )
  },
  act: async (item: Parameters<JobKind['act']>[0], stores: Stores) => {
    if (!item.file) throw new TypeError('a job that imports has no file')
    try {
      return { before: false, result: await importFile({ ...item, file: item.file }, stores) }
    } catch (error) {
      if (!(error instanceof ImportError)) throw error
      const { message, faults } = error
      throw new RequestError('invalid-field', message, { cause: error, extra: { faults } })
    }
  },
})

/** Only a format that `fileSettings` accepted is stored. */
const formatOf = ({ format }: Settings) => format as ImportFormat

export const FILE_KINDS = {
  'devices.import': fileKind(
    'devices:manage',
    only('format', 'unknown_models'),
    async ({ file, settings, authority, dryRun }, stores) => ({
      ...(await importDevices(
        {
          ...{ source: { format: formatOf(settings), open: file.open }, authority, dryRun },
          unknownModels: settings['unknown_models'] !== undefined,
        },
        stores,
      )),
    }),
    MOST_PARTS,
  ),
  'allow-list.import': fileKind(
    'models:manage',
    only('format', 'model'),
    async ({ file, settings, authority, dryRun }, stores) => {
      const model = parseModelName(settings['model'] ?? '')
      const options = { model, format: formatOf(settings), authority, dryRun }
      return { ...(await importAllowList(await file.text(), options, stores)) }
    },
  ),
  'allow-list.remove': fileKind(
    'models:manage',
    only('format', 'model'),
    async ({ file, settings, authority, dryRun }, stores) => {
      const model = parseModelName(settings['model'] ?? '')
      const entries = readEntries(await file.text(), formatOf(settings))
      const removal = { model, entries, dryRun, mayBeGone: true, authority }
      return { removed: await removeAllowed(removal, stores) }
    },
  ),
  'hardware-identities.import': fileKind(
    'models:manage',
    only(),
    async ({ file, authority }, stores) => {
      // A stream of assertions is short, so each part is one.
      const files = (await file.parts()).map((bytes, index) => ({ name: `File ${index + 1}`, bytes }))
      return { ...(await importHardwareIdentities(files, { authority }, stores)) }
    },
    16,
  ),
  'packages.import': fileKind(
    'roles:manage',
    only('format', 'replace_all'),
    async ({ file, settings, authority, dryRun }, stores) => {
      const replaceAll = settings['replace_all'] !== undefined
      const options = { format: formatOf(settings), replaceAll, authority }
      const text = await file.text()
      if (dryRun) return { ...(await planImport(text, options, stores)) }
      return { ...(await importPackages(text, options, stores)) }
    },
  ),
} as const satisfies Record<string, JobKind>
