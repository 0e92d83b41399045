/** Why a connection failed, in a few words for the log. */

/** What the codes of the system and of OpenSSL mean. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name cannot be looked up',
  EAI_AGAIN: 'its name cannot be looked up at the moment',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection broke',
  EHOSTUNREACH: 'its network cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ETIMEDOUT: 'it does not answer',
  EPROTO: 'it does not speak TLS',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  CERT_HAS_EXPIRED: 'its certificate has expired',
}

/** In our own words: the message of an error may quote what another program wrote. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (!('code' in error)) return error.message
  const code = String(error.code)
  if (/CERT|SIGNATURE|ISSUER/.test(code) && !(code in REASONS)) {
    return `its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS adds an authority`
  }
  return REASONS[code] ?? `the connection failed (${code})`
}
