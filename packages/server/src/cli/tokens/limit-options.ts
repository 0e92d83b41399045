/** The options of `tokens create` and `tokens attenuate` that limit a token. */
import type { Command } from 'commander'
import { several } from '../option-values.ts'

export interface LimitOptions {
  readonly permission?: readonly string[] | undefined
  readonly channel?: readonly string[] | undefined
  readonly package?: readonly string[]
  readonly store?: readonly string[] | undefined
}

export const withLimits = (command: Command, packages: string): Command =>
  command
    .option('--permission <name>', 'limit the token to this permission; repeatable', several)
    .option('--channel <pattern>', 'limit the token to this channel (repeatable)', several)
    .option('--package <name>', `limit the token to this package (${packages}); repeatable`, several)
    .option('--store <id>', 'limit the token to this store; repeatable', several)
