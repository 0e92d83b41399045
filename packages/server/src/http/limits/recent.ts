/**
 * The texts that were added last, at least `most` different ones and at most twice as many. Two sets instead of a list
 * by time of use: one that is there is only looked up, and not moved to the front.
 */
export class Recent {
  readonly #most: number
  #newer = new Set<string>()
  #older = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  add(text: string): void {
    if (this.#newer.has(text)) return
    if (this.#newer.size >= this.#most) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
    this.#newer.add(text)
  }

  has(text: string): boolean {
    return this.#newer.has(text) || this.#older.has(text)
  }

  delete(text: string): void {
    this.#newer.delete(text)
    this.#older.delete(text)
  }
}
