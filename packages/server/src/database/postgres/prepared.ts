/**
 * Names for statements, so that each connection prepares a text once and the server keeps its plan. Without one the
 * server parses and plans every statement anew: a read of one row by its key then costs it three times as much (59 µs
 * of CPU instead of 19), and this process half as much again (46 instead of 30).
 *
 * Once a plan is kept, the server looks at its costs again only when the table is analysed. `autovacuum` does that
 * within a minute of much having changed.
 */
import { createHash } from 'node:crypto'

/** What a connection keeps takes some 20 KB of the server for each. All of the service's own texts are fewer. */
const MOST_NAMES = 400
/** A longer list of values rarely has the same length again. */
const MOST_PARAMETERS = 40

export class PreparedNames {
  readonly #names = new Map<string, string>()
  #generation = 0

  /** Undefined for a text that is not worth it. */
  nameOf(text: string, { length }: readonly unknown[]): string | undefined {
    const known = this.#names.get(text)
    if (known !== undefined) return known
    // Without parameters a statement is one message, and most such are run once.
    if (length === 0 || length > MOST_PARAMETERS || this.#names.size >= MOST_NAMES) return undefined
    // The same name never stands for two texts, whoever else uses the server's connection.
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 40)
    const name = `ratafia_${this.#generation}_${digest}`
    this.#names.set(text, name)
    return name
  }

  /** What was prepared is never used again. */
  forget(): void {
    this.#names.clear()
    this.#generation++
  }
}
