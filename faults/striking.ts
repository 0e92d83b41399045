/** What a fault's strike is given, and what it returns. */
import type { Client } from './load/client.ts'
import type { Random } from './load/random.ts'
import type { Recorder } from './load/wire.ts'
import type { World } from './world/world.ts'

export interface Striking {
  readonly world: World
  readonly clients: readonly Client[]
  readonly random: Random
  readonly recorder: Recorder
  /** Counted from 1. */
  readonly round: number
}

/** Counters that show that a strike had an effect. */
export type Evidence = Readonly<Record<string, number>>
