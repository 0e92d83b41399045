/**
 * The service for a command on the database: it calls the operations of the management API in this process as the
 * operator, with validation by their schemas (contract/administration.md, D2).
 */
import type { ManagementOperation } from '@ratafia/api/schemas'
import type { DirectAuthority } from '../../authority.ts'
import { describeDatabase } from '../../cli/announcement.ts'
import { ServiceRefusal } from '../../cli/context.ts'
import { withLists } from '../../cli/service/lists.ts'
import type { Asked, Asking, Found, Service, ServiceOperation } from '../../cli/service/service.ts'
import { ConfigError, serviceAddress, type TlsFiles } from '../../config/config.ts'
import { localAddress } from '../../config/local-address.ts'
import { RequestError } from '../../errors.ts'
import type { JsonObject } from '../../foreign-json.ts'
import type { Installation } from '../../installation.ts'
import type { Surroundings } from '../../status/read-status.ts'

/** Short, because a user waits for the jobs. */
const EVERY_MS = 50

export function inProcessService(installation: Installation): Service {
  const groups = new Map<string, Promise<Calls>>()
  const callsFor = async ({ path }: ServiceOperation): Promise<Calls> => {
    const { groupOf } = await import('./management-groups.ts')
    const group = groupOf(path)
    if (!group) throw new TypeError(`no group has ${path}`)
    const [name = ''] = group.below
    const loaded = groups.get(name) ?? load(group, installation)
    groups.set(name, loaded)
    return loaded
  }
  const answer = async (operation: ServiceOperation, asking: Asking): Promise<Answer> => {
    const calls = await callsFor(operation)
    return calls(operation, asking).catch(refuse)
  }
  const asked: Asked = {
    url: describeDatabase(installation.config.database),
    clock: installation.clock,
    call: async (operation, asking = {}): Promise<Found> => {
      const { etagOf } = await import('../../http/management/etag.ts')
      const { value, hasVersion } = await answer(operation, asking)
      // The same form as over HTTP.
      const record = JSON.parse(JSON.stringify(value)) as JsonObject
      return { record, etag: hasVersion ? etagOf(record) : undefined }
    },
    async *lines(operation, asking = {}) {
      const { Streamed } = await import('../../http/management/streamed.ts')
      const { value: streamed } = await answer(operation, asking)
      if (!(streamed instanceof Streamed)) throw new TypeError(`${operation.path} streams nothing`)
      try {
        yield* linesOf(streamed.text)
      } catch (error) {
        await refuse(error)
      }
    },
    tryFile: async (kind, options, paths) => {
      const { fileOf } = await import('../../management/jobs/files/job-file.ts')
      const { tryFile } = await import('../../management/jobs/files/make-file-job.ts')
      const { authority } = installation
      return {
        ...(await tryFile({ kind, options, authority, file: fileOf(paths) }, installation).catch(refuse)),
      }
    },
    meanwhile: (work, interrupted) => whileDoing(installation, work, interrupted),
  }
  return withLists(asked)
}

interface Answer {
  readonly value: object
  /** Whether the value is a record, which has an `ETag`. */
  readonly hasVersion: boolean
}

type Calls = (operation: ServiceOperation, asking: Asking) => Promise<Answer>

async function load(
  { addTo }: NonNullable<ReturnType<typeof import('./management-groups.ts').groupOf>>,
  installation: Installation,
): Promise<Calls> {
  const { managementInProcess } = await import('../../http/management/in-process.ts')
  const { config } = installation
  const operations = new Map<string, ManagementOperation>()
  const { add, call } = managementInProcess<DirectAuthority>({ requiresVersion: true })
  await addTo(
    (operation, respond) => {
      operations.set(nameOf(operation), operation)
      add(operation, respond)
    },
    {
      installation,
      baseUrl: serviceAddress(config),
      identityLocation: config.identity ? undefined : `${serviceAddress(config)}/identity`,
      surroundings: () => surroundingsOf(installation),
    },
  )
  return async (asked, { id, names, query: { dry_run: dryRun, ...query } = {}, body, bytes, ifMatch }) => {
    const operation = operations.get(nameOf(asked))
    if (!operation) throw new TypeError(`${nameOf(asked)} is not served`)
    const value = (await call(installation.authority, operation, {
      parameters: { ...names, ...(id === undefined ? {} : { id }) },
      query: query as never,
      ...(body && { body: body as never }),
      ...(bytes && { file: { bytes, mediaType: 'application/octet-stream' } }),
      ...{ ifMatch, dryRun: dryRun === true },
    })) as object
    return { value, hasVersion: operation.record === true }
  }
}

const nameOf = ({ method, path }: ServiceOperation | ManagementOperation): string => `${method} ${path}`

/** Throws a `RequestError` as the refusal that the same request would get over HTTP. */
async function refuse(error: unknown): Promise<never> {
  if (!(error instanceof RequestError)) throw error
  const { withPlaceInWords } = await import('../../http/errors/schema-refusal.ts')
  const { message, code, extra, cause } = error
  throw new ServiceRefusal(withPlaceInWords(message), {
    ...{ code, cause },
    extra: JSON.parse(JSON.stringify(extra)) as JsonObject,
  })
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of text) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

/** Runs waiting jobs while `work` runs. Throws the error that stops a job, and `Unavailable`. */
async function whileDoing<T>(
  installation: Installation,
  work: () => Promise<T>,
  interrupted: AbortSignal | undefined,
): Promise<T> {
  const { runJobs } = await import('../../jobs/run-jobs.ts')
  const { periodicJobs } = await import('../../management/jobs/run-jobs.ts')
  const failed = Promise.withResolvers<never>()
  // Prevents an unhandled rejection after `work` has finished.
  failed.promise.catch(() => {})
  const jobs = [{ ...periodicJobs(installation, interrupted), everyMs: EVERY_MS }]
  const doing = runJobs(jobs, { leases: installation.leases, onError: failed.reject })
  try {
    return await Promise.race([work(), failed.promise])
  } finally {
    await doing.stop()
  }
}

/** Returns the surroundings from the point of view of this machine, which runs the command. */
async function surroundingsOf({ config, database }: Installation): Promise<Surroundings> {
  const { certificatesOf } = await import('../../config/tls/postgres-tls-files.ts')
  const { schemaState } = await import('../../database/index.ts')
  const { channelsOf } = await import('../../reminders/reminder.ts')
  const { askReady } = await import('../../cli/service/ask-ready.ts')
  const address = localAddress(config)
  const answer = address === undefined ? undefined : await askReady(address)
  return {
    database: { kind: database.kind, location: describeDatabase(config.database) },
    schema: await schemaState(database),
    answer,
    certificates: await certificatesOf(config.database),
    ...(config.tls && { tls: await tlsOf(config.tls, answer?.fingerprint) }),
    remindersBy: channelsOf(config.reminders),
  }
}

/** `fingerprint` is that of the certificate that the service serves; undefined if it does not answer. */
async function tlsOf(
  files: TlsFiles,
  fingerprint: string | undefined,
): Promise<NonNullable<Surroundings['tls']>> {
  const { readTlsPair } = await import('../../config/tls/served-files.ts')
  const { cert: file } = files
  try {
    const { certificate } = await readTlsPair(files)
    const until = certificate.validToDate
    if (fingerprint === undefined || fingerprint === certificate.fingerprint256) return { file, until }
    return {
      file,
      until,
      problem: `The service still serves another one than ${file}. Its log gives the reason.`,
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { file, problem: error.message }
  }
}
