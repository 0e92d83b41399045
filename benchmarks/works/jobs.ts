/** Measures exchanges of ID tokens without their signature check, and another user's login during hostile ones. */
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { exchangingIdToken, type IdToken, newIdToken, newRule, type Rule } from '../../faults/load/job.ts'
import { logIn } from '../../faults/load/log-in.ts'
import { makeScene, type Scene } from '../../faults/load/scene.ts'
import type { Wire } from '../../faults/load/wire.ts'
import { Issuer } from '../../faults/world/issuer.ts'
import { addIssuer } from '../../packages/server/src/ci/issuers/add.ts'
import { addRule } from '../../packages/server/src/ci/rules/making/add-rule.ts'
import { present, random } from '../data/devices.ts'
import { opened } from '../data/opened.ts'
import { flows } from '../harness/flows.ts'
import { startRepetitions } from '../harness/repetitions.ts'
import { alternate, type Load } from '../harness/rounds.ts'
import { alone, atMost, type Figure, ratio } from '../report/figure.ts'
import type { BenchInstallation } from '../services/installation.ts'
import { contender, type Service } from '../services/ratafia.ts'
import { onEachDatabase } from './on-each-database.ts'
import { CLIENTS } from './registration.ts'
import { detailsOf, named, type Run, type Work } from './work.ts'

const SIGNATURE = join(import.meta.dirname, '../services/signature.ts')

export const jobs: Work = {
  name: 'jobs',
  says: 'exchanges of ID tokens without their signature check, and logins during hostile exchanges',
  async measure(run) {
    const scene = await makeScene({ people: 10, models: 1, keys: 1 })
    const signature = await startRepetitions('signature', [SIGNATURE])
    run.after(signature.stop)
    return onEachDatabase(run, scene, async (service, database) => {
      const all = await withJobs(service.installation, scene)
      run.after(all.close)
      const flow = (wire: Wire) => exchangeOne(all, wire)
      const ours = contender('ID token', service, flows(service.port, CLIENTS, flow), `id-token-${database}`)
      const measured = await alternate([ours, signature], run.pace)
      const { median } = named(measured, 'ID token')
      const facts = { what: 'exchange of an ID token', database }
      const cpu = alone(
        {
          ...{ ...facts, measure: 'ms of node CPU without the signature check' },
          ours: median.cpu - named(measured, 'signature').median.cpu,
          more: { rounds: measured.map(detailsOf) },
        },
        atMost(1.5),
      )
      const beside = await besideHostile(run, { service, scene, jobs: all })
      const login: Figure = ratio({ ...beside.facts, database }, { name: 'alone', value: beside.alone })
      if (database === 'sqlite') return [cpu, login]
      return [cpu, alone({ ...facts, measure: 'statements', ours: median.statements }, atMost(8)), login]
    })
  },
}

interface Attacked {
  readonly service: Service
  readonly scene: Scene
  readonly jobs: Jobs
}

/** The hostile exchanges from one address in a round. The limit lets 30 through at once, then one every two seconds. */
const HOSTILE = 10_000

async function besideHostile(run: Run, { service, scene, jobs: { misdirected } }: Attacked) {
  const logIns = flows(service.port, 1, async (wire, turn) => {
    present(await logIn(present(scene.people[turn % scene.people.length]), wire, random), wire)
  })
  const attacked: Load = {
    async run(seconds, begin) {
      const attack = sendHostile(service.port, misdirected(), seconds)
      try {
        return await logIns.run(seconds, begin)
      } finally {
        await attack
      }
    },
  }
  // A full run sends a thousand hostile exchanges a second.
  const seconds = run.quick ? 2 : 10
  const measured = await alternate(
    [contender('alone', service, logIns), contender('attacked', service, attacked)],
    { ...run.pace, seconds },
  )
  const what = `a login during ${HOSTILE} hostile exchanges from one address in ${seconds} s`
  return {
    facts: { what, measure: 'p50 in ms', ours: named(measured, 'attacked').median.p50 },
    alone: named(measured, 'alone').median.p50,
  }
}

/** Sends hostile exchanges, spread over the time. Throws if one gets a token or a 5xx. */
async function sendHostile(port: number, idToken: string, seconds: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    subject_token: idToken,
  }).toString()
  const began = performance.now()
  const sender = async (at: number, senders: number) => {
    for (let turn = at; turn < HOSTILE; turn += senders) {
      const wait = began + (turn / HOSTILE) * seconds * 1_000 - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const status = await post(`http://127.0.0.1:${port}/api/v2/tokens/oidc`, body, agent)
      if (status !== 400 && status !== 429) throw new Error(`a hostile exchange got ${status}`)
    }
  }
  try {
    await Promise.all(Array.from({ length: 16 }, (_, at) => sender(at, 16)))
  } finally {
    agent.destroy()
  }
}

const post = (url: string, body: string, agent: Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': '198.51.100.7',
      'x-forwarded-proto': 'https',
    }
    const sent = request(url, { method: 'POST', headers, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode))
    })
    sent.once('error', reject).end(body)
  })

interface Jobs {
  /** Returns an ID token that is valid for one exchange. */
  idToken(): IdToken
  /** Returns an ID token that the issuer signed for another service. */
  misdirected(): string
  close(): Promise<void>
}

/** Adds the issuer, and a rule for the scene's first person. */
async function withJobs(installation: BenchInstallation, { people }: Scene): Promise<Jobs> {
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
async function exchangeOne(jobs: Jobs, wire: Wire): Promise<void> {
  const { status } = await wire.send(wire.pick(random), exchangingIdToken(jobs.idToken()))
  if (status !== 200) throw new Error(`the exchange got ${status}`)
}
