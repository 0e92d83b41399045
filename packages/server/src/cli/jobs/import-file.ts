/** Imports a file: sends it in parts to a job, and follows the job (A17). */
import { open } from 'node:fs/promises'
import { MANAGEMENT_ROUTES as api } from '@ratafia/api/management'
import { stateConflict } from '../../errors.ts'
import { ImportError } from '../../files/import-rows.ts'
import { isObject, type JsonObject } from '../../foreign-json.ts'
import { FileError, ServiceRefusal, type Streams } from '../context.ts'
import type { LocalFile } from '../files/local-file.ts'
import { cannotBeRead } from '../files.ts'
import { withProgress } from '../progress.ts'
import type { Service } from '../service/service.ts'
import { describeJob, finishJob, itemsOf } from './follow-job.ts'

export interface FileToImport {
  readonly kind: string
  /** The files in order; the service gets them as one. */
  readonly files: readonly LocalFile[]
  /** The other options of the kind, by their names in the API. */
  readonly options?: object
  readonly dryRun: boolean
  /** Whether each file is a part. Default: the files are sent as one. */
  readonly whole?: boolean
}

/** Less than the limit of a request; a row can be in two parts. */
const PART_BYTES = 4 * 1024 * 1024 - 1024

/**
 * Returns the counts, by name. Throws {@link ImportError} with the errors in the file, {@link
 * ServiceRefusal}, `FileError`, the errors of `service`, and `RequestError` for a cancelled job.
 */
export async function importFileInto(
  service: Service,
  { kind, files, options = {}, dryRun, whole = false }: FileToImport,
  streams: Streams,
): Promise<JsonObject> {
  if (dryRun && service.tryFile) {
    const paths = files.map(({ path }) => path)
    return service.tryFile(kind, options, paths).catch((error: unknown) => {
      throw error instanceof ServiceRefusal ? refusal(error, undefined) : error
    })
  }
  const long = whole ? files.find(({ size }) => size > PART_BYTES) : undefined
  if (long) throw new FileError(`${long.name} has more than ${PART_BYTES} bytes. Split it.`)
  const parts = Math.max(
    1,
    files.reduce((sum, { size }) => sum + Math.ceil(size / PART_BYTES), 0),
  )
  const made = await service.recordOf(api.makeJob, {
    body: { kind, parts, ...options },
    ...(dryRun ? { query: { dry_run: true } } : {}),
  })
  const id = String(made['id'])
  await withProgress(streams, ['Sending', 'parts'], async (onProgress) => {
    let sent = 0
    for await (const bytes of partsOf(files)) {
      await service.call(api.putJobPart, { id, names: { part: String(++sent) }, bytes })
      onProgress(sent, parts)
    }
  })
  await service.call(api.startJob, { id, body: {} })
  const job = await finishJob(service, id, streams)
  const [item = {}] = await itemsOf(service, id)
  if (item['outcome'] === 'refused') throw refusal(item, whole ? files : undefined)
  if (item['outcome'] !== 'done') throw stateConflict(describeJob(job))
  return isObject(item['result']) ? item['result'] : {}
}

/** Returns the error for a refusal. `named`: the files that the service numbers in its message. */
function refusal(
  { code, message }: { readonly code?: unknown; readonly message?: unknown },
  named: readonly LocalFile[] | undefined,
): Error {
  const says = String(message)
  if (named) {
    const told = says.replaceAll(/\bFile (\d+)\b/g, (text, number) => named[Number(number) - 1]?.name ?? text)
    return new ServiceRefusal(told, { code: String(code) })
  }
  return code === 'invalid-field' ? new ImportError(says) : new ServiceRefusal(says, { code: String(code) })
}

/** Yields the parts. An empty file becomes a part with a line break, because a part cannot be empty. */
async function* partsOf(files: readonly LocalFile[]): AsyncGenerator<Uint8Array> {
  let any = false
  for (const { name, path } of files) {
    const handle = await open(path).catch((error: NodeJS.ErrnoException) => {
      throw cannotBeRead(name, error)
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
