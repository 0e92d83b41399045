/**
 * Records which networks have places, and decides which member loses its place when none are left. The
 * network with the most places always gives one up, first among the widest networks, then among those inside
 * it. So neither many addresses in one network nor many networks of one provider are an advantage.
 */
import type { Networks } from '../addresses/address.ts'

interface Group<T> {
  size: number
  readonly parts: Map<string, Group<T>>
  /** The members, oldest first. Only the narrowest networks have any. */
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

  /** Removes a member, if it has a place. */
  delete(networks: Networks, member: T): void {
    const groups = this.#groupsOf(networks)
    if (groups.at(-1)?.members.delete(member) !== true) return
    for (const group of groups) group.size -= 1
    for (const [index, network] of networks.toReversed().entries()) {
      if (groups[index + 1]?.size === 0) groups[index]?.parts.delete(network)
    }
  }

  /** Returns the oldest member of the network with the most places. */
  oldestOfMost(): T | undefined {
    return oldestIn(this.#all)
  }

  /** Returns the member that a newcomer can replace; undefined if the newcomer's network would then have the most. */
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

  /** Returns the groups from the widest to the narrowest; fewer if there are no members from there. */
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
