/**
 * Guarantee: whatever a client sends, the answer is never a 5xx, the process stays up, and its memory is bounded.
 * PostgreSQL gets a tenth of the requests that SQLite gets. A failure prints its seed; the seeds are fixed.
 */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { decodeJson, encodeBase64Url } from '@ratafia/macaroon'
import fc from 'fast-check'
import pLimit from 'p-limit'
import type { DatabaseKind } from '../../src/database/index.ts'
import type { Fresh } from '../support/databases.ts'
import { addPerson, call, dischargeFor, getRoot, logIn, macaroonOf, testService } from '../support/service.ts'
import { jobSeeds } from './id-token-requests.ts'
import { type RawRequest, statusesOf } from './pipeline.ts'
import { publisherSeeds } from './publisher-texts.ts'
import type { Seeds } from './requests.ts'

const BATCH = 250
/**
 * The connections that send a batch each. A request that names an unknown key waits up to a second for a look-up, which
 * those of all connections share.
 */
const several = pLimit(8)

type Flood = readonly [what: string, count: number, requests: (seeds: Seeds) => fc.Arbitrary<RawRequest>]

interface FloodOptions {
  readonly kind: DatabaseKind
  readonly fresh: Fresh
  readonly environment?: Readonly<Record<string, string>>
}

/** Declares a test for each kind of request. */
export function flood(kinds: readonly Flood[], { kind, fresh, environment = {} }: FloodOptions): void {
  const service = testService(fresh, environment)
  const share = kind === 'sqlite' ? 1 : 0.1
  let seeds: Seeds
  before(async () => {
    const person = await addPerson(service)
    const token = macaroonOf(await logIn(service, person))
    const root = await getRoot(service, { permissions: ['package_access'], description: 'hostile' })
    const caveatId = decodeJson(JSON.parse(root)).caveats[3]?.id
    assert.ok(caveatId)
    const discharge = await call(service, 'POST', `/identity/discharge?id64=${encodeBase64Url(caveatId)}`)
    const visit: string = discharge.body.Info.InteractionMethods['browser-window'].VisitURL
    const did = new URL(visit, service.baseUrl).searchParams.get('did') ?? ''
    assert.notEqual(did, '')
    const publisher = await publisherSeeds(service)
    const jobs = await jobSeeds(service)
    seeds = { token, slice: await dischargeFor(service, root, person), caveatId, did, publisher, jobs }
  })

  for (const [what, count, requests] of kinds) {
    const wanted = Math.ceil((count * share) / BATCH) * BATCH
    test(`${wanted} ${what} get no 5xx and leave no memory behind`, async () => {
      const arbitrary = requests(seeds)
      const seen = new Map<number, number>()
      const send = async (seed: number) => {
        const batch = fc.sample(arbitrary, { numRuns: BATCH, seed })
        const statuses = await statusesOf(service.baseUrl, batch)
        for (const [index, status] of statuses.entries()) {
          assert.ok(
            status < 500,
            `seed ${seed}, request ${index}: ${status} for ${JSON.stringify(batch[index])}`,
          )
          seen.set(status, (seen.get(status) ?? 0) + 1)
        }
      }
      const batches = Array.from({ length: wanted / BATCH }, (_, index) => index + 1)
      const quarter = Math.ceil(batches.length / 4)
      await several.map(batches.slice(0, quarter), send)
      const warm = heapInUse()
      await several.map(batches.slice(quarter), send)
      const last = heapInUse()
      // In a full run, a kilobyte kept per request would be far over this.
      assert.ok(last - warm < 32 * 1024 * 1024, `the heap grew from ${warm} to ${last} bytes`)
      // Not all were refused by the first check.
      assert.ok([...seen].some(([status]) => status === 400) || seen.has(401), JSON.stringify([...seen]))
    })
  }
}

let collect: (() => void) | undefined

/** Returns the bytes in use after a garbage collection. */
function heapInUse(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  collect()
  return process.memoryUsage().heapUsed
}
