/** The options that limit a token, as `tokens create` and `tokens attenuate` have them. */
import type { Command } from 'commander'
import { several } from '../option-values.ts'

export interface LimitOptions {
  readonly permission?: readonly string[]
  readonly channel?: readonly string[]
  readonly package?: readonly string[]
  readonly store?: readonly string[]
}

export const withLimits = (command: Command, packages: string): Command =>
  command
    .option('--permission <name>', 'limit it to this permission; may repeat', several)
    .option('--channel <pattern>', 'limit it to these channels; may repeat', several)
    .option('--package <name>', `limit it to this package (${packages}); may repeat`, several)
    .option('--store <id>', 'limit it to this store; may repeat', several)
