/**
 * Operations on the user's own account that only the console has. The management API does not have them
 * (contract/administration.md, B11).
 */
import type { OwnAgent, OwnAgentInput } from '../management/own/add-own-agent.ts'
import type { OwnToken, OwnTokenInput } from '../management/own/make-own-token.ts'
import type { ManagerAuthority } from '../management/tokens/manager.ts'

export type { ManagerAuthority }

export interface OwnCredentials {
  /** Throws the errors of `makeOwnToken`. */
  makeToken(input: OwnTokenInput): Promise<OwnToken>
  /** Throws the errors of `addOwnAgent`. */
  addAgent(input: OwnAgentInput): Promise<OwnAgent>
  readonly baseUrl: string
  /** The longest lifetime of a token in milliseconds; undefined for no limit. */
  readonly mostLifetime: number | undefined
  /** The URL where users change their password and second factor; undefined with an external identity service. */
  readonly account: string | undefined
  readonly identity: string
}
