/** `GET /.well-known/oauth-authorization-server`: where ID tokens are exchanged, for clients of OAuth (RFC 8414). */
import { type AuthorizationServer, EXCHANGE_PATH, PERMISSIONS, TOKEN_EXCHANGE } from '@ratafia/api'

export const authorizationServer = (baseUrl: string): AuthorizationServer => ({
  issuer: baseUrl,
  token_endpoint: `${baseUrl}${EXCHANGE_PATH}`,
  token_endpoint_auth_methods_supported: ['none'],
  grant_types_supported: [TOKEN_EXCHANGE],
  // It authorizes nobody in a browser.
  response_types_supported: [],
  scopes_supported: [...PERMISSIONS],
})
