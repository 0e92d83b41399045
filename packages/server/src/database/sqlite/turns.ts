/** A queue with one holder at a time, first come, first served. A caller gives up after waiting too long. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #taken = false

  get taken(): boolean {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves to true at the caller's turn, which must be given back, or to false after `patience` milliseconds. */
  async take(patience: number): Promise<boolean> {
    if (!this.#taken) {
      this.#taken = true
      return true
    }
    return new Promise<boolean>((resolve) => {
      const turn = () => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1)
        resolve(false)
      }, patience)
      this.#waiting.push(turn)
    })
  }

  giveBack(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#taken = false
  }
}
