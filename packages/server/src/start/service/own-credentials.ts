/** Connects what only the console does for the own account: the operations take this besides an authority. */
import type { Installation } from '../../installation.ts'
import type { OwnAgentDeps } from '../../management/own/add-own-agent.ts'
import type { OwnTokenDeps } from '../../management/own/make-own-token.ts'
import { bundledIdentity } from '../../third-party/identity-service.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'
import { toolLogins } from './tool-logins.ts'

type Own = Pick<
  TokenDependencies,
  'baseUrl' | 'entryOf' | 'identity' | 'lifetime' | 'location' | 'snapIds' | 'thirdParty'
>

/** Of `makeOwnToken` and of `addOwnAgent`. */
export function ownCredentials(tokens: Own, installation: Installation): OwnTokenDeps & OwnAgentDeps {
  const { config, keyring } = installation
  const signOn = toolLogins(tokens.thirdParty, config.identity?.url ?? tokens.baseUrl)
  return {
    ...installation,
    ...tokens,
    ownThirdParty: bundledIdentity(keyring, tokens.identity.location, config),
    addresses: async () => ({ baseUrl: tokens.baseUrl, signOn: (await signOn()).signOn }),
    identityLocation: tokens.identity.bundled ? tokens.identity.location : undefined,
  }
}
