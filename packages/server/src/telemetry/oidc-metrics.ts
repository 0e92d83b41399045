/** What is counted of ID tokens and their issuers. The issuers are those that an operator added, never what a token says. */
import { Gauge, type Registry } from 'prom-client'

export interface OidcMetrics {
  /** `age` is in seconds. Replaces what was set before: issuers that are gone lose their series. */
  issuerKeys(keys: readonly { readonly issuer: string; readonly age: number }[]): void
}

export function oidcMetrics(registry: Registry): OidcMetrics {
  const ages = new Gauge({
    name: 'ratafia_oidc_keys_age_seconds',
    help: 'How long ago the keys of an issuer of ID tokens were fetched; pinned ones have no age',
    labelNames: ['issuer'],
    registers: [registry],
  })
  return {
    issuerKeys: (keys) => {
      ages.reset()
      for (const { issuer, age } of keys) ages.set({ issuer }, age)
    },
  }
}
