/**
 * Divides something scarce (places, bytes) between the networks that want it, so that none of them can use it up.
 *
 * A network may have as much as is free: alone an address gets half of everything, two get a third each, and a hundred
 * leave a hundredth. So there is always some left for whoever comes next. Wider networks may have a multiple of what is
 * free, because more people share them.
 */
import type { Networks } from '../addresses/address.ts'

/** How many times what is free each width may have, narrowest first. */
const WEIGHTS = [1, 2, 4] as const
const WIDTHS = WEIGHTS.length
/** How many networks of each width are remembered while they have nothing. */
const IDLE = 1_000

export class Shares {
  readonly #total: number
  /** What each network has, by width. */
  readonly #taken = WEIGHTS.map(() => new Map<string, number>())
  #free: number

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  /** How much is taken. */
  get taken(): number {
    return this.#total - this.#free
  }

  /** Whether this network could take `amount` now. */
  has(networks: Networks, amount = 1): boolean {
    if (amount > this.#free) return false
    for (let width = 0; width < WIDTHS; width++) {
      const weight = WEIGHTS[width] ?? 0
      if (this.#takenBy(networks, width) + amount > weight * this.#free) return false
    }
    return true
  }

  /** False, and nothing was taken: this network has its share, or nothing is left. */
  take(networks: Networks, amount = 1): boolean {
    if (!this.has(networks, amount)) return false
    this.#add(networks, amount)
    return true
  }

  /** Gives back what {@link Shares.take} took, or a part of it. */
  giveBack(networks: Networks, amount = 1): void {
    this.#add(networks, -amount)
  }

  #takenBy(networks: Networks, width: number): number {
    return this.#taken[width]?.get(networks[width] ?? '') ?? 0
  }

  #add(networks: Networks, amount: number): void {
    this.#free -= amount
    // Every request comes here: an iterator and closures would be a third of it.
    for (let width = 0; width < WIDTHS; width++) {
      const taken = this.#taken[width]
      const network = networks[width]
      if (!taken || network === undefined) continue
      const now = (taken.get(network) ?? 0) + amount
      // A few that have nothing stay: most are back with the next request, and adding a key costs more than its change.
      if (now === 0 && taken.size > IDLE) taken.delete(network)
      else taken.set(network, now)
    }
  }
}
