/** Which keys of a memory depend on each row. */
export class KeysByRow {
  // Most rows have one key: a set for each would take half of all the memory of a memory.
  readonly #keys = new Map<string, string | Set<string>>()

  add(row: string, key: string): void {
    const known = this.#keys.get(row)
    if (known === undefined || known === key) this.#keys.set(row, key)
    else if (typeof known === 'string') this.#keys.set(row, new Set([known, key]))
    else known.add(key)
  }

  remove(row: string, key: string): void {
    const known = this.#keys.get(row)
    if (known === key) this.#keys.delete(row)
    else if (known instanceof Set && known.delete(key) && known.size === 0) this.#keys.delete(row)
  }

  /** As of now, whatever is removed while they are read. */
  of(row: string): readonly string[] {
    const known = this.#keys.get(row)
    if (known === undefined) return []
    return typeof known === 'string' ? [known] : [...known]
  }
}
