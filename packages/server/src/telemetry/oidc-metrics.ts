/** The metrics of ID tokens and their issuers. Labels contain issuers an operator added, never text of a token. */
import { Counter, Gauge, type Registry } from 'prom-client'

export interface OidcMetrics {
  /** Counts an exchange of an ID token. `issuer` is the URL of an issuer that the operator added, or undefined. */
  exchanged(issuer: string | undefined, outcome: string): void
  /** Replaces the previous values, so that removed issuers lose their series. `age` is in seconds. */
  issuerKeys(keys: readonly { readonly issuer: string; readonly age: number }[]): void
}

export function oidcMetrics(registry: Registry): OidcMetrics {
  const registers = [registry]
  const exchanges = new Counter({
    name: 'ratafia_oidc_exchanges_total',
    help: 'Exchanges of ID tokens of jobs, by issuer and reason: `granted`, or why it was refused',
    labelNames: ['issuer', 'reason'],
    registers,
  })
  const ages = new Gauge({
    name: 'ratafia_oidc_keys_age_seconds',
    help: 'How long ago the keys of an issuer of ID tokens were fetched; pinned keys have no age',
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
