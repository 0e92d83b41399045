/** Which keys of a memory depend on each row, or on any row of a kind. */
import type { ChangeKind } from './row-change.ts'

/** A row, or without an id any row of its kind: also one that does not exist yet. */
export interface Dependency {
  readonly kind: ChangeKind
  readonly id?: string
}

export class KeysByRow {
  // By id inside a kind: a text of both for each row would take more than all the rest. Most rows have one key: a set
  // for each would take as much.
  readonly #kinds = new Map<ChangeKind, Map<string, string | Set<string>>>()

  add({ kind, id = ANY }: Dependency, key: string): void {
    const rows = this.#kinds.get(kind) ?? new Map<string, string | Set<string>>()
    this.#kinds.set(kind, rows)
    const known = rows.get(id)
    if (known === undefined || known === key) rows.set(id, key)
    else if (typeof known === 'string') rows.set(id, new Set([known, key]))
    else known.add(key)
  }

  remove({ kind, id = ANY }: Dependency, key: string): void {
    const rows = this.#kinds.get(kind)
    const known = rows?.get(id)
    if (known === key) rows?.delete(id)
    else if (known instanceof Set && known.delete(key) && known.size === 0) rows?.delete(id)
  }

  /** As of now, whatever is removed while they are read. */
  of({ kind, id = ANY }: Dependency): readonly string[] {
    const known = this.#kinds.get(kind)?.get(id)
    if (known === undefined) return []
    return typeof known === 'string' ? [known] : [...known]
  }
}

/** No id is empty. */
const ANY = ''
