/** `POST /dev/api/acl/` and `/v1/tokens/usso`: a root macaroon that a password discharges. Writes nothing. */
import { type MacaroonResponse, newSessionId } from '@ratafia/api'
import { encodeBase64Url, encodeBinary } from '@ratafia/macaroon'
import { RequestError } from '../../errors.ts'
import type { TokenDependencies } from '../dependencies.ts'
import { checkTokenRequest, type TokenRequest } from '../requested-token.ts'
import { type AskingProgram, loginHostFor } from './login-host.ts'
import { mintPasswordRoot } from './password-root.ts'

/** Throws {@link RequestError} `password-login-off`, and as `checkTokenRequest` does. */
export async function createUbuntuOneRoot(
  request: TokenRequest,
  program: AskingProgram,
  deps: TokenDependencies,
): Promise<MacaroonResponse> {
  const thirdParty = await deps.thirdParty()
  if (!thirdParty.passwordLogins) {
    throw new RequestError(
      'password-login-off',
      `This service takes no passwords from programs. Get a credential with "ratafia tokens create", or see ${deps.baseUrl}/`,
    )
  }
  const { since, expires, description, attenuations, extra } = await checkTokenRequest(request, deps)
  const { root } = await mintPasswordRoot(
    {
      since,
      expires,
      sessionId: newSessionId(),
      extra,
      limits: attenuations,
      description: description ?? nameOf(program.userAgent),
      caveatLocation: loginHostFor(program, thirdParty.loginHost),
    },
    deps,
  )
  return { macaroon: encodeBase64Url(encodeBinary(root)) }
}

/** The first product of a User-Agent, such as `snapd/2.77`: a session has to be recognised in a list. */
function nameOf(userAgent: string): string | undefined {
  const [product] = userAgent.trim().split(/\s/, 1)
  return product !== undefined && /^[!-~]{1,128}$/.test(product) ? product : undefined
}
