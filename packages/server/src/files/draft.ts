/** Files that get their name only once they are complete, so that no reader sees a part of one. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isStreamed } from './streamed.ts'

/** A new file next to the one that it will become. */
export interface Draft {
  readonly path: string
  readonly handle: FileHandle
  /** Waits until the content is on the disk, and then replaces the file. */
  replace(): Promise<void>
  /** Does the same as `replace`, but fails with `EEXIST` if the file exists already. */
  publish(): Promise<void>
  /** Removes what is left of the draft. Always call it; after a success it does nothing. */
  discard(): Promise<void>
}

/** Opens a draft of `file`. Two processes that write the same file have separate drafts. Throws the system's error. */
export async function openDraft(file: string, { secret }: { readonly secret: boolean }): Promise<Draft> {
  const path = `${file}.${randomBytes(4).toString('hex')}.part`
  const handle = await open(path, 'wx', secret ? 0o600 : 0o666)
  let isOpen = true
  const close = async () => {
    if (!isOpen) return
    isOpen = false
    await handle.close()
  }
  const finish = async (name: () => Promise<void>) => {
    await handle.sync()
    await close()
    await name()
    await syncDirectory(dirname(file))
  }
  return {
    path,
    handle,
    replace: () => finish(() => rename(path, file)),
    publish: () => finish(() => nameNew(path, file)),
    discard: async () => {
      await close().catch(() => undefined)
      await rm(path, { force: true })
    },
  }
}

/** The errors of `link` where there are no hard links: on FAT, and on some network file systems. */
const WITHOUT_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

/** Gives a draft its name without replacing a file. */
async function nameNew(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file)
  } catch (error) {
    if (!WITHOUT_LINKS.has((error as NodeJS.ErrnoException).code)) throw error
    // Only one process gets the name, and the rename then replaces only its own empty file.
    await (await open(file, 'wx', 0o600)).close()
    try {
      await rename(draft, file)
    } catch (failure) {
      await rm(file, { force: true })
      throw failure
    }
  }
}

/** Writes a whole file or nothing. Throws the system's error. */
export async function writeDraft(
  file: string,
  content: string | Uint8Array,
  {
    secret,
    existing,
  }: {
    readonly secret: boolean
    /** `keep` fails with `EEXIST` if the file exists already. */
    readonly existing: 'replace' | 'keep'
  },
): Promise<void> {
  const draft = await openDraft(file, { secret })
  try {
    await draft.handle.writeFile(content)
    await (existing === 'replace' ? draft.replace() : draft.publish())
  } finally {
    await draft.discard()
  }
}

/** Throws the system's error if a file could not be written there now. Leaves nothing behind. */
export async function tryToWrite(file: string): Promise<void> {
  if (await isStreamed(file)) return
  await (await openDraft(file, { secret: true })).discard()
}

/** Waits until the names in a directory are on the disk, because syncing a file does not sync its name. */
async function syncDirectory(directory: string): Promise<void> {
  // Windows does not open directories.
  if (process.platform === 'win32') return
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}
