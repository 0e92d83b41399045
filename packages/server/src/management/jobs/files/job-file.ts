/** The file of a job. Its parts are copied to disk, so that no transaction waits for the database to read them. */
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { textOr } from '../../../files/foreign-text.ts'
import { ImportError } from '../../../files/import-rows.ts'
import type { Job } from '../job.ts'
import type { JobFile } from '../job-kind.ts'
import type { JobStore } from '../job-store.ts'

interface OfJob {
  readonly job: Job
  /** Aborts the reading. */
  readonly interrupted: AbortSignal | undefined
}

/** Calls `work` with the file. The copies are readable only by this user, and removed afterwards. */
export async function withJobFile<T>(
  { job: { id, settings }, interrupted }: OfJob,
  jobs: Pick<JobStore, 'part'>,
  work: (file: JobFile) => Promise<T>,
): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'ratafia-job-'))
  try {
    const paths: string[] = []
    for (let place = 1; place <= Number(settings['parts']); place++) {
      const part = await jobs.part(id, place)
      // The job has ended, and its parts were removed. The claim of the item then fails.
      if (!part) break
      const path = join(directory, String(place))
      await writeFile(path, part, { mode: 0o600 })
      paths.push(path)
    }
    return await work(fileOf(paths, interrupted))
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Returns the contents of these files, in order. Reading throws the reason of `interrupted` once it aborts. */
export function fileOf(paths: readonly string[], interrupted?: AbortSignal): JobFile {
  const parts = () => Promise.all(paths.map((path) => readFile(path)))
  return {
    open: () => inTurn(paths, interrupted),
    parts,
    text: async () => textOr(Buffer.concat(await parts()), (fault) => new ImportError(`The file ${fault}`)),
  }
}

async function* inTurn(
  paths: readonly string[],
  interrupted: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (const path of paths) {
    for await (const chunk of createReadStream(path)) {
      interrupted?.throwIfAborted()
      yield chunk
    }
  }
}
