/** The examples of the CI operations, for `openapi/examples.ts`. */
import { TOKEN_EXCHANGE, TOKEN_TYPES } from './token-types.ts'

/** An ID token of an issuer that no service knows. */
const ID_TOKEN =
  'eyJhbGciOiJSUzI1NiIsImtpZCI6InRlc3Qta2V5IiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2NpLmV4YW1wbGUub3JnIiwiYXVkIjoiaHR0cHM6Ly9zdG9yZS5leGFtcGxlLmNvbSIsInN1YiI6InByb2plY3Q6NzQiLCJpYXQiOjE3OTUzNDI4MDAsImV4cCI6MTc5NTM0MzEwMCwianRpIjoiNmZiZWJmZTMtOWViNC00MDI4LWE1OTItNTQyMjc2OGI1M2JjIn0.c2lnbmF0dXJl'

const request = {
  grant_type: TOKEN_EXCHANGE,
  subject_token_type: TOKEN_TYPES.idToken,
  subject_token: ID_TOKEN,
}

const TOKEN = 'AgEPMTI3LjAuMC4xOjQwODQ5AhUSAAAAAaRiPPuGlVSECmE-No63TGs'

const unknown = [
  {
    code: 'invalid-grant',
    message: 'The issuer of the ID token, "https://ci.example.org", is unknown here.',
    extra: {},
  },
]

export const CI_EXAMPLES = {
  exchangeIdToken: [
    {
      name: 'exchanged',
      summary: 'A job that requests fewer permissions than its rule grants',
      body: { ...request, scope: 'package_upload' },
      status: 200,
      answer: {
        access_token: TOKEN,
        issued_token_type: TOKEN_TYPES.accessToken,
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'package_upload',
        session_id: '567487c8-901e-4417-a930-3b07f987c482',
        rule: 'hello-release',
        credentials: 'eyJ0IjogIm1hY2Fyb29uIiwgInYiOiAiQWdFUE1USTNMakF1TUM0eE9qUXdPRFE1In0=',
      },
    },
    {
      name: 'unknown-issuer',
      summary: 'An ID token of an issuer that the operator has not added',
      body: request,
      status: 400,
      answer: {
        error: 'invalid_grant',
        error_description: "The issuer of the ID token, 'https://ci.example.org', is unknown here.",
        error_list: unknown,
        'error-list': unknown,
      },
    },
  ],
} as const
