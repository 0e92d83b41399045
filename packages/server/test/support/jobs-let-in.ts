/** Adds an issuer, an account and a rule to a service, so that it accepts the jobs of a test issuer. */
import assert from 'node:assert/strict'
import { addIssuer } from '../../src/ci/issuers/add.ts'
import { addRule } from '../../src/ci/rules/making/add-rule.ts'
import { deciding } from './authorities.ts'
import { addPerson, type TestService } from './service.ts'
import type { TestIssuer } from './test-issuer.ts'

/** The package of the rule, as its snap id. */
export const SNAP_ID = 'buPKUD3TKqCOgLEjjHx5kSiCpIs5cMuQ'

export interface JobsLetIn {
  readonly rule: string
  readonly username: string
  /** Returns an ID token for this service, a different one each time. `claims` are added or replace others. */
  idToken(claims?: Readonly<Record<string, unknown>>): string
}

/**
 * Adds the issuer with the kind `generic`, and a rule for jobs with the subject `job:hello`. `audience` is for an
 * issuer whose audience is fixed.
 */
export async function letJobsIn(
  service: TestService,
  issuer: TestIssuer,
  audience?: string,
): Promise<JobsLetIn> {
  const { installation, baseUrl } = service
  const { username } = await addPerson(service)
  const rule = `hello-${username}`
  await addIssuer({ url: issuer.url, kind: 'generic', audience, authority: deciding() }, installation)
  const added = await addRule(
    {
      maker: { authority: deciding() },
      name: rule,
      issuer: issuer.url,
      account: username,
      match: { sub: 'job:hello' },
      packages: [{ snap_id: SNAP_ID }],
      grants: { permissions: ['package_upload', 'package_release'] },
    },
    { ...installation, jobMaxLifetime: installation.config.jobMaxLifetime },
  )
  assert.equal(added.rule.name, rule)
  return {
    rule,
    username,
    idToken: (claims) => issuer.sign({ sub: 'job:hello', aud: audience ?? baseUrl, ...claims }),
  }
}
