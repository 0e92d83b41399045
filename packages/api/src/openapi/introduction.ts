/** `info.description`: information beyond single operations. */

/** `identity` is the location of the identity service. */
export const introduction = (identity: string): string => `\
Developer tokens, and identities and sessions of devices, for a snap store.

## Log in

1. \`createToken\` returns a root macaroon with the limits that you request.
2. Its third-party caveat names the identity service at ${identity}. Send the id of the caveat to \`discharge\` there. The
   response is a 401 that explains how to log in: a user in a browser (\`waitForLogin\`, or \`redeemCode\` for a web site),
   or a program with an agent key (\`agentLogin\`). Send the id again with the token of that login. Bakery clients
   (\`macaroonbakery\`, \`httpbakery\`) do all of this.
3. Bind the discharge to the root, and send both to \`exchangeToken\`, in the header \`Macaroons\`. The response is a token.
4. Send the token with every request: \`Authorization: Macaroon TOKEN\`. \`whoami\` shows what it permits, \`listTokens\`
   lists the sessions of the account, and \`revokeToken\` revokes one.

## A CI job

\`exchangeIdToken\` returns a token for the ID token that the CI system signs for the job, if the operator has added the
issuer and a rule. \`oidcAudience\` returns the audience that the ID token needs. No secret is stored anywhere.

## A device

1. \`requestId\`, then \`registerDevice\` with a serial-request that the device signed, and its model. The response is the
   serial assertion, as \`application/x.ubuntu.assertion\` and not as JSON, because snapd reads it in this form. Until the
   operator has approved the device, it is a 202 with no body.
2. \`nonces\`, then \`openSession\` with a device-session-request that the device signed. The response is the session, for
   the header \`X-Device-Authorization\`. With the previous session in that header, the session is refreshed.

For a gadget with its own device service, \`request-id\` and \`serial\` are also below the address that it names: the same
two operations under other paths.

## Answers

Every response has \`Snap-Store-Version\`, and JSON has \`Content-Type: application/json\` without a charset. Every refusal
has an \`ErrorBody\`. An \`OAuthError\` adds the fields that OAuth clients expect. The identity service sends a
\`BakeryError\`. Programs should use the code: codes are added, never renamed. Each status of an operation lists its codes,
also as \`x-error-codes\`. In addition:

- a path with a different method gets 405 \`method-not-allowed\` with \`Allow\`; an unknown path gets 404 \`not-found\`
- an internal error of the service gets 500 \`internal-error\`
- a 429 or 503 has \`Retry-After\` with the seconds to wait
- every GET operation also answers HEAD, except \`waitForLogin\`

## Limits

Request line and headers: 64 KiB. Bodies: 64 KiB, of \`openSession\` 1 MiB, of \`registerDevice\` 4 MiB. JSON can have 32
levels of nesting. Macaroons presented together: 48 KiB in binary, 16 macaroons, 128 caveats in each.

\`x-since-version\` is the version of the API that introduced an operation; operations without it are Ratafia's own.`
