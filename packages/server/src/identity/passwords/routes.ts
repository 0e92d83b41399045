/**
 * The password login routes, on the host that has the accounts (contract/publisher-login.md, decisions 3, 15
 * to 20 and 31). An `Authorization` header is ignored, because snapcraft 6 sends a stale one.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { PASSWORD_OPERATIONS } from '@ratafia/api/schemas'
import type { FastifyInstance, preParsingHookHandler } from 'fastify'
import { readJsonBodies } from '../../http/bodies/json-body.ts'
import { arrivedInSecret } from '../../http/client.ts'
import { dischargeWithPassword } from './discharge-with-password.ts'
import { answerLoginError } from './error-routes.ts'
import { LoginRefused } from './login-refused.ts'
import type { PasswordDependencies } from './open-caveat.ts'
import { refreshDischarge } from './refresh-discharge.ts'

export async function passwordRoutes(app: FastifyInstance, deps: PasswordDependencies): Promise<void> {
  readJsonBodies(app)
  app.setErrorHandler(answerLoginError)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', 'no-store')
    done()
  })
  const typed = app.withTypeProvider<TypeBoxTypeProvider>()
  const { passwordDischarge, refreshDischarge: refresh } = PASSWORD_OPERATIONS
  const options = { preParsing: refusePlainText, config: { limit: 'discharge' } } as const

  typed.post(passwordDischarge.path, { ...options, schema: { body: passwordDischarge.body } }, (request) =>
    dischargeWithPassword(request.body, request.client.address, deps),
  )
  // The discharge is a credential in the body, so failures count for the address, without the credential.
  const refreshing = { ...options, config: { ...options.config, failures: 'refused' } } as const
  typed.post(refresh.path, { ...refreshing, schema: { body: refresh.body } }, (request) =>
    refreshDischarge(request.body, deps),
  )
}

/**
 * Refuses plain text before the body is read: a password sent in plain text may have been seen, and must not be used.
 */
const refusePlainText: preParsingHookHandler = (request, _reply, payload, done) => {
  if (arrivedInSecret(request)) return done(null, payload)
  done(
    new LoginRefused(
      'HTTPS_REQUIRED',
      'This login was sent unencrypted from another machine. Use https. If a reverse proxy terminates TLS, its operator must list it in RATAFIA_TRUSTED_PROXIES and let it send X-Forwarded-Proto.',
    ),
  )
}
