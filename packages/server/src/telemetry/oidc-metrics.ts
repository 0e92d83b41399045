/** What is counted of ID tokens and their issuers. The issuers are those that an operator added, never what a token says. */
import { Counter, Gauge, type Registry } from 'prom-client'

export interface OidcMetrics {
  /** An exchange of an ID token. `issuer` is the URL of one that the operator added, if it is of one. */
  exchanged(issuer: string | undefined, outcome: string): void
  /** `age` is in seconds. Replaces what was set before: issuers that are gone lose their series. */
  issuerKeys(keys: readonly { readonly issuer: string; readonly age: number }[]): void
}

export function oidcMetrics(registry: Registry): OidcMetrics {
  const registers = [registry]
  const exchanges = new Counter({
    name: 'ratafia_oidc_exchanges_total',
    help: 'Exchanges of ID tokens of jobs, by their issuer and by reason: `granted`, or why not',
    labelNames: ['issuer', 'reason'],
    registers,
  })
  const ages = new Gauge({
    name: 'ratafia_oidc_keys_age_seconds',
    help: 'How long ago the keys of an issuer of ID tokens were fetched; pinned ones have no age',
    labelNames: ['issuer'],
    registers,
  })
  return {
    exchanged: (issuer = UNKNOWN, reason) => exchanges.inc({ issuer, reason }),
    issuerKeys: (keys) => {
      ages.reset()
      for (const { issuer, age } of keys) ages.set({ issuer }, age)
    },
  }
}

const UNKNOWN = '(unknown)'
