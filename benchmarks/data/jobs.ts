/** Jobs of a CI system, with an issuer on loopback whose ID tokens match a rule of the installation. */
import { exchangingIdToken, type IdToken, newIdToken, newRule, type Rule } from '../../faults/load/job.ts'
import type { Scene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { Issuer } from '../../faults/world/issuer.ts'
import { addIssuer } from '../../packages/server/src/ci/issuers/add.ts'
import { addRule } from '../../packages/server/src/ci/rules/making/add-rule.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { present, random } from './devices.ts'
import { opened } from './opened.ts'

export interface Jobs {
  /** Returns an ID token that is valid for one exchange. */
  idToken(): IdToken
  /** Returns an ID token that the issuer signed for another service. */
  misdirected(): string
  close(): Promise<void>
}

/** Adds the issuer, and a rule for the scene's first person. */
export async function withJobs(installation: BenchInstallation, { people }: Scene): Promise<Jobs> {
  const issuer = await Issuer.start()
  const key = present(issuer.keys[0])
  const rule = newRule(present(people[0]), 1)
  await opened(installation, async (on) => {
    await addIssuer({ url: issuer.url, kind: 'github', authority: on.authority }, on)
    const maker = { authority: on.authority }
    await addRule({ maker, ...wanted(rule, issuer) }, { ...on, jobMaxLifetime: on.config.jobMaxLifetime })
  })
  return {
    idToken: () => newIdToken(rule, { issuer, key }),
    misdirected: () => issuer.sign({ aud: 'https://elsewhere.example.com' }, key),
    close: () => issuer.close(),
  }
}

const wanted = ({ name, person, match }: Rule, issuer: Issuer) => ({
  ...{ name, issuer: issuer.url, account: person.username, match },
  grants: { permissions: ['package_upload'] },
  packages: [{ name: 'hello' }],
})

/** Exchanges an ID token, and throws unless it gets a token. */
export async function exchangeOne(jobs: Jobs, wire: Wire): Promise<void> {
  const { status } = await wire.send(wire.pick(random), exchangingIdToken(jobs.idToken()))
  if (status !== 200) throw new Error(`the exchange got ${status}`)
}
