/** The Ubuntu One routes: requests of snapcraft, snapd and surl to the dashboard (contract/publisher-login.md). */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { readJsonBodies } from '../../http/bodies/json-body.ts'
import { digestOf } from '../../http/credentials/digest.ts'
import { presentedMacaroons } from '../../http/credentials/presented.ts'
import { answerTitledError } from '../../http/errors/answer.ts'
import {
  authenticatedBefore,
  authenticateKnown,
  neverStored,
  WITH_CREDENTIALS,
} from '../authenticating-routes.ts'
import type { TokenDependencies } from '../dependencies.ts'
import {
  type AskingProgram,
  createUbuntuOneRoot,
  developerAccount,
  verifyAuthorization,
} from './ubuntu-one.ts'

export interface DialectOptions extends TokenDependencies {
  /** Whether this service answers `/dev/api/account`. */
  readonly developerAccount: boolean
}

export async function ubuntuOneRoutes(app: FastifyInstance, deps: DialectOptions): Promise<void> {
  readJsonBodies(app)
  neverStored(app)
  app.setErrorHandler(answerTitledError)
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const { ubuntuOneRoot, verifyAuthorization: verification, developerAccount: account } = OPERATIONS

  const creation = { schema: { body: ubuntuOneRoot.body }, config: { limit: 'tokens' } } as const
  typed.post(ubuntuOneRoot.path, creation, (request) =>
    createUbuntuOneRoot(request.body, askingProgram(request), deps),
  )

  const verifying = { schema: { body: verification.body }, config: { limit: 'verify' } } as const
  typed.post(verification.path, verifying, async (request) => {
    const { authorization } = request.body.auth_data
    const digest = digestOf({ authorization })
    const presented = () => presentedMacaroons({ authorization })
    const answer = await verifyAuthorization(async () =>
      authenticateKnown({ presented, digest }, request, deps),
    )
    deps.tally.add('store-questions', answer.allowed ? 'token-valid' : 'token-refused')
    return answer
  })

  if (!deps.developerAccount) return
  const authenticated = authenticatedBefore(deps)
  const { preValidation } = authenticated
  typed.get(account.path, { preValidation, ...WITH_CREDENTIALS }, async (request) =>
    developerAccount(authenticated.resultOf(request).account),
  )
}

/** Returns the program that sent a request, according to its headers. */
export const askingProgram = ({ headers }: FastifyRequest): AskingProgram => ({
  host: headers.host ?? '',
  userAgent: headers['user-agent'] ?? '',
})
