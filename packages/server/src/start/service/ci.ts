/** Connects the exchange of ID tokens of CI jobs with its dependencies. */
import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { entryOf } from '../../audit/recording.ts'
import { knownKeys } from '../../ci/issuers/keys/known-keys.ts'
import { verifyByIssuer } from '../../ci/issuers/verify-by-issuer.ts'
import { ciRoutes } from '../../ci/routes.ts'
import type { Installation } from '../../installation.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { bundledIdentity } from '../../third-party/identity-service.ts'
import type { TokenDependencies } from '../../tokens/dependencies.ts'

interface Parts {
  readonly app: FastifyInstance
  readonly installation: Installation
  readonly telemetry: Pick<Telemetry, 'metrics'>
}

export async function addCi(
  tokens: TokenDependencies,
  { app, installation, telemetry: { metrics } }: Parts,
): Promise<void> {
  const { config, clock, audit, changeBy } = installation
  const change = changeBy({ actor: 'service', source: hostname() })
  const keys = knownKeys({ ...installation, change })
  await app.register(ciRoutes, {
    ...tokens,
    findIssuer: keys.find,
    rules: installation.rules,
    usedTokens: installation.usedTokens,
    verify: (token, found) => verifyByIssuer(token, found, { keys, audience: tokens.baseUrl, clock }),
    ownThirdParty: bundledIdentity(installation.keyring, tokens.identity.location, config),
    mostLifetime: config.jobMaxLifetime,
    record: async (change, author) => {
      const entry = entryOf(change, author, clock())
      await audit.add(entry)
      return entry.id
    },
    count: (issuer, outcome) => metrics.exchanged(issuer, outcome),
  })
}
