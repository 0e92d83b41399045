/**
 * What only the console does, for the account of whoever is signed in: the management API has none of it
 * (contract/administration.md, B11).
 */
import type { OwnAgent, OwnAgentInput } from '../management/own/add-own-agent.ts'
import type { OwnToken, OwnTokenInput } from '../management/own/make-own-token.ts'
import type { ManagerAuthority } from '../management/tokens/manager.ts'

export type { ManagerAuthority }

export interface OwnCredentials {
  /** Throws as `makeOwnToken` does. */
  makeToken(input: OwnTokenInput): Promise<OwnToken>
  /** Throws as `addOwnAgent` does. */
  addAgent(input: OwnAgentInput): Promise<OwnAgent>
  readonly baseUrl: string
  /** The longest life of a token in milliseconds; undefined for none. */
  readonly mostLifetime: number | undefined
  /** Where people change their password and second factor; undefined with an identity service elsewhere. */
  readonly account: string | undefined
  readonly identity: string
}
