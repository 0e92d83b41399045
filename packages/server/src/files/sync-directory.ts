import { open } from 'node:fs/promises'

/** Waits until the names in a directory are on the disk: syncing a file does not sync its name. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows does not open directories.
  if (process.platform === 'win32') return
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}
