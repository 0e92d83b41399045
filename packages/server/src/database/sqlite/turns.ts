/** One holder at a time, in the order they came; who waits for too long gives up. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #taken = false

  get taken(): boolean {
    return this.#taken
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** True once it is held, or false after `patience` milliseconds. Who holds it gives it back. */
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
