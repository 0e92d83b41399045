import { open } from 'node:fs/promises'

/** Waits until the names in a directory are on the disk: that of a file is not when its content is. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows opens none.
  if (process.platform === 'win32') return
  const handle = await open(directory)
  await handle.sync().finally(() => handle.close())
}
