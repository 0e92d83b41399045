/**
 * Who has places, by network, to find out whose place is taken when there are none left. It is always the network with
 * the most that gives one up, first among the widest, then among those inside it: so neither many addresses in one
 * network nor many networks of one provider are an advantage.
 */
import type { Networks } from '../addresses/address.ts'

interface Group<T> {
  size: number
  readonly parts: Map<string, Group<T>>
  /** Of the narrowest networks alone. The first is the oldest. */
  readonly members: Set<T>
}

export class Crowd<T> {
  readonly #all: Group<T> = newGroup()

  get size(): number {
    return this.#all.size
  }

  add(networks: Networks, member: T): void {
    let group = this.#all
    group.size += 1
    for (const network of networks.toReversed()) {
      const part = group.parts.get(network) ?? newGroup()
      group.parts.set(network, part)
      part.size += 1
      group = part
    }
    group.members.add(member)
  }

  /** Does nothing for somebody who is not there. */
  delete(networks: Networks, member: T): void {
    const groups = this.#groupsOf(networks)
    if (groups.at(-1)?.members.delete(member) !== true) return
    for (const group of groups) group.size -= 1
    for (const [index, network] of networks.toReversed().entries()) {
      if (groups[index + 1]?.size === 0) groups[index]?.parts.delete(network)
    }
  }

  /** The member that has been there for longest in the network with the most. */
  oldestOfMost(): T | undefined {
    return oldestIn(this.#all)
  }

  /** Whose place somebody from here may take; undefined if their own network would then have more than any other. */
  replaceableBy(networks: Networks): T | undefined {
    let group = this.#all
    for (const network of networks.toReversed()) {
      const own = group.parts.get(network)
      const most = biggestPart(group)
      if (most && most !== own && most.size > (own?.size ?? 0) + 1) return oldestIn(most)
      if (!own) return undefined
      group = own
    }
    return undefined
  }

  /** From all to the narrowest; shorter if there is nobody from there. */
  #groupsOf(networks: Networks): Group<T>[] {
    const groups = [this.#all]
    for (const network of networks.toReversed()) {
      const part = groups.at(-1)?.parts.get(network)
      if (!part) return groups
      groups.push(part)
    }
    return groups
  }
}

const newGroup = <T>(): Group<T> => ({ size: 0, parts: new Map(), members: new Set() })

function biggestPart<T>({ parts }: Group<T>): Group<T> | undefined {
  let biggest: Group<T> | undefined
  for (const part of parts.values()) if (!biggest || part.size > biggest.size) biggest = part
  return biggest
}

function oldestIn<T>(group: Group<T>): T | undefined {
  const part = biggestPart(group)
  if (part) return oldestIn(part)
  const [oldest] = group.members
  return oldest
}
