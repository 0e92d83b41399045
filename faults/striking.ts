/** The parameter and the result of a fault's strike. */
import type { Client } from './load/client.ts'
import type { Random } from './load/random.ts'
import type { Recorder } from './load/wire.ts'
import type { World } from './world/world.ts'

export interface Striking {
  readonly world: World
  readonly clients: readonly Client[]
  readonly random: Random
  readonly recorder: Recorder
  /** The number of this strike, counted from 1. */
  readonly round: number
}

/** Counters that show that a strike had an effect. */
export type Evidence = Readonly<Record<string, number>>
