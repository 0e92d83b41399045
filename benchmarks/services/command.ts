/** Runs a command of the program, as an operator does while the service runs. */
import { commandOf } from '../../faults/world/command.ts'
import { thisRelease } from '../../faults/world/release.ts'
import type { BenchInstallation } from './installation.ts'

/** Runs a command and returns its output. Throws if it fails. */
export async function command({ environment }: BenchInstallation, words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await commandOf({ ...thisRelease(), environment })(words)
  if (code !== 0) throw new Error(`ratafia ${words.join(' ')} exited with ${code}: ${stderr.trim()}`)
  return stdout
}
