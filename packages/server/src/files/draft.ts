/** Files that get their name only once they are complete: a reader never sees a part of one. */
import { randomBytes } from 'node:crypto'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from './sync-directory.ts'

/** A new file next to the one that it will become. */
export interface Draft {
  readonly path: string
  readonly handle: FileHandle
  /** Waits until the content is on the disk, and gives it the name of the file. */
  replace(): Promise<void>
  /** The same, but fails with `EEXIST` if there is such a file already. */
  publish(): Promise<void>
  /** Removes what is left of the draft. Call it whatever happened; it does nothing after a success. */
  discard(): Promise<void>
}

/** Opens a draft of `file`; two processes that write one file have separate drafts. Throws the system's error. */
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
    // A link replaces nothing.
    publish: () => finish(() => link(path, file)),
    discard: async () => {
      await close().catch(() => undefined)
      await rm(path, { force: true })
    },
  }
}

/** Writes a whole file, or nothing. Throws the system's error. */
export async function writeDraft(
  file: string,
  content: string | Uint8Array,
  {
    secret,
    existing,
  }: {
    readonly secret: boolean
    /** `keep`: fails with `EEXIST` if there is such a file already. */
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

/** Throws the system's error if no file could be written there now. Leaves nothing behind. */
export async function tryToWrite(file: string): Promise<void> {
  if (await isStreamed(file)) return
  await (await openDraft(file, { secret: true })).discard()
}

/** Whether there is a pipe or a device, such as `/dev/stdout`: it is written to and never replaced. */
export async function isStreamed(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}
