/** Files that are written to and never replaced: pipes, devices, and targets of descriptors such as `/dev/stdout`. */
import { createWriteStream, type WriteStream } from 'node:fs'
import { readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'

/** Returns whether the file is a pipe, a device or a descriptor, whatever the descriptor is redirected to. */
export async function isStreamed(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || found.isDirectory()) return false
  return !found.isFile() || (await descriptorOf(file)) !== undefined
}

/** Opens a streamed file. Throws the system's error. */
export async function openStreamed(file: string): Promise<WriteStream> {
  const own = (await stat(file)).isFile() ? (await descriptorOf(file))?.own : undefined
  // Opened by its name, a redirected standard output would be overwritten from its start.
  return own === undefined
    ? createWriteStream(file, { flags: 'a' })
    : createWriteStream(file, { fd: own, autoClose: false })
}

const DESCRIPTORS = /^(?:\/proc\/(?<process>\d+)(?:\/task\/\d+)?|\/dev)\/fd$/

/** Follows the links of a file up to a descriptor. `own` is its number if it belongs to this process. */
async function descriptorOf(file: string): Promise<{ readonly own?: number } | undefined> {
  let at = file
  for (;;) {
    const directory = await realpath(dirname(at))
    const found = DESCRIPTORS.exec(directory)
    if (found) {
      const { process: id = String(process.pid) } = found.groups ?? {}
      return id === String(process.pid) ? { own: Number(basename(at)) } : {}
    }
    const target = await readlink(at).catch(() => undefined)
    if (target === undefined) return undefined
    at = resolve(directory, target)
  }
}
