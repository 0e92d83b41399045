/**
 * Divides a scarce resource (places, bytes) between networks, so that none of them can use it up.
 *
 * A network can have as much as is free: a single address gets half of everything, two get a third each, and
 * a hundred leave a hundredth. So there is always some left for the next one. Wider networks can have a
 * multiple of what is free, because more people share them.
 */
import type { Networks } from '../addresses/address.ts'

/** The multiple of the free amount that a network of each width can have, narrowest first. */
const WEIGHTS = [1, 2, 4] as const
const WIDTHS = WEIGHTS.length
/** The number of networks of each width that are remembered while they have nothing. */
const IDLE = 1_000

export class Shares {
  readonly #total: number
  /** The amount that each network has, by width. */
  readonly #taken = WEIGHTS.map(() => new Map<string, number>())
  #free: number

  constructor(total: number) {
    this.#total = total
    this.#free = total
  }

  /** The taken amount. */
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

  /** Takes the amount. Returns false, and takes nothing, if this network has its share or too little is left. */
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
    // This runs for every request, and an iterator and closures would cost a third of its time.
    for (let width = 0; width < WIDTHS; width++) {
      const taken = this.#taken[width]
      const network = networks[width]
      if (!taken || network === undefined) continue
      const now = (taken.get(network) ?? 0) + amount
      // Keep a few that have nothing: most return with the next request, and adding a key costs more than changing it.
      if (now === 0 && taken.size > IDLE) taken.delete(network)
      else taken.set(network, now)
    }
  }
}
