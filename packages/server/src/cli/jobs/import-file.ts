/** Imports a file: sends it in parts to a job, and follows that (A17). */
import { open } from 'node:fs/promises'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { stateConflict } from '../../errors.ts'
import { ImportError } from '../../files/import-rows.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { FileError, ServiceRefusal, type Streams } from '../context.ts'
import { type LocalFile, withLocalFiles } from '../files/local-file.ts'
import { cannotBeRead, type TableFormat } from '../files.ts'
import { withProgress } from '../progress.ts'
import type { Service } from '../service/service.ts'
import { describeJob } from './job-output.ts'
import { jobsOf } from './jobs-of.ts'

export interface FileToImport {
  readonly kind: string
  /** One after the other: the service gets them as one. */
  readonly files: readonly string[]
  /** What the kind takes besides, as the API names it. */
  readonly options?: object
  /** Of a table. Default: it is none. */
  readonly format?: (file: LocalFile) => TableFormat | Promise<TableFormat>
  readonly dryRun: boolean
  /** Each file is a part. Default: they are sent as one. */
  readonly whole?: boolean
}

/** Under the limit of a request; a row may be in two parts. */
const PART_BYTES = 4 * 1024 * 1024 - 1024

/**
 * The counts, by name. Throws {@link ImportError} with the faults of the file, {@link ServiceRefusal}, `FileError`, and
 * what `service` throws; a job that somebody cancelled is a `RequestError`.
 */
export const importFileInto = (
  service: Service,
  asked: FileToImport,
  streams: Streams,
): Promise<JsonObject> =>
  withLocalFiles(asked.files, (locals) => importLocal(service, asked, locals, streams))

async function importLocal(
  service: Service,
  { kind, files, options, format, dryRun, whole = false }: FileToImport,
  locals: readonly LocalFile[],
  streams: Streams,
): Promise<JsonObject> {
  const [first] = locals
  const formatted = format && first ? { format: await format(first) } : {}
  const sizes = locals.map(({ size }) => size)
  const long = whole ? sizes.findIndex((size) => size > PART_BYTES) : -1
  if (long >= 0) throw new FileError(`${files[long]} has more than ${PART_BYTES} bytes: split it.`)
  const parts = Math.max(
    1,
    sizes.reduce((sum, size) => sum + Math.ceil(size / PART_BYTES), 0),
  )
  const { record: made } = await service.call(api.makeJob, {
    body: { kind, parts, ...formatted, ...options },
    ...(dryRun ? { query: { dry_run: true } } : {}),
  })
  const id = String(made['id'])
  await withProgress(streams, ['Sending', 'parts'], async (onProgress) => {
    let sent = 0
    for await (const bytes of partsOf(locals)) {
      await service.call(api.putJobPart, { id, names: { part: String(++sent) }, bytes })
      onProgress(sent, parts)
    }
  })
  await service.call(api.startJob, { id, body: {} })
  const jobs = jobsOf(service, streams)
  const job = await jobs.follow(id)
  const [item = {}] = await jobs.items(id, undefined)
  if (item['outcome'] === 'refused') throw refusal(item, whole ? files : undefined)
  if (item['outcome'] !== 'done') throw stateConflict(describeJob(job))
  return isObject(item['result']) ? item['result'] : {}
}

/** `named`: the files that the service calls by their numbers. */
function refusal({ code, message }: JsonObject, named: readonly string[] | undefined): Error {
  const says = String(message)
  if (named) {
    const told = says.replaceAll(/\bFile (\d+)\b/g, (text, number) => named[Number(number) - 1] ?? text)
    return new ServiceRefusal(told, { code: String(code) })
  }
  return code === 'invalid-field' ? new ImportError(says) : new ServiceRefusal(says, { code: String(code) })
}

/** An empty file is one part with a line break: a part has something in it. */
async function* partsOf(files: readonly LocalFile[]): AsyncGenerator<Uint8Array> {
  let any = false
  for (const { path } of files) {
    const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
      throw cannotBeRead(path, error)
    })
    try {
      for (;;) {
        const { bytesRead, buffer } = await handle.read(Buffer.alloc(PART_BYTES))
        if (bytesRead === 0) break
        any = true
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await handle.close()
    }
  }
  if (!any) yield Buffer.from('\n')
}
