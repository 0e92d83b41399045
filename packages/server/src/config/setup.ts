/** Whether the first operator can be created by a setup link (decision 67). */
import type { Config } from './config.ts'

/** Returns the reason why there are no setup links, with what to do instead; undefined if there can be. */
export function noSetupReason({
  setup,
  identity,
  management,
}: Pick<Config, 'setup' | 'identity' | 'management'>): string | undefined {
  if (identity) {
    return 'Users sign in at a separate identity service (RATAFIA_IDENTITY_URL). After the first login of the future operator, run `ratafia grants add USERNAME operator`.'
  }
  if (!setup.enabled) return `RATAFIA_SETUP is off. ${BY_COMMAND}`
  if (!management.enabled) return `RATAFIA_MANAGEMENT is off, so there is no console. ${BY_COMMAND}`
  return management.console ? undefined : `RATAFIA_CONSOLE is off. ${BY_COMMAND}`
}

const BY_COMMAND =
  'Create the first operator with `ratafia accounts add USERNAME --email EMAIL --name NAME --role operator`.'
