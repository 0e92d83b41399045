/** The strike of `issuer-black-holed`. */
import { exchangingIdToken, newIdToken } from './load/job.ts'
import { command } from './load/operator.ts'
import type { Evidence, Striking } from './striking.ts'
import type { SigningKey } from './world/issuer.ts'
import { sleep } from './world/processes.ts'
import type { World } from './world/world.ts'

/** Shorter than the service's timeout for requests to an issuer. */
const HOLE_MS = 2_000
/** The pause between two exchanges with a key that the service already has. */
const PAUSE_MS = 200

export async function blackHoleIssuer({ world, clients, recorder }: Striking): Promise<Evidence> {
  const { issuer, nodes, ratafia } = world
  const { proxy } = issuer
  const [client] = clients
  const [known] = issuer.keys
  if (!client || !known) return { 'known keys': 0 }
  /**
   * Exchanges an ID token of each of the client's rules at every node. A rule may just have been removed. Returns how
   * many were accepted, and how many were not.
   */
  const exchange = async (key: SigningKey, fresh: boolean) => {
    const sent = client.rules.flatMap((rule) =>
      nodes.map((node) => {
        const request = exchangingIdToken(newIdToken(rule, { issuer, key }), { fresh })
        return client.wire.send(node, request)
      }),
    )
    const answers = await Promise.all(sent)
    const accepted = answers.filter(({ status }) => status === 200).length
    return { accepted, others: answers.length - accepted }
  }

  await mayAskIssuer(world)
  const { held } = proxy
  proxy.blackHole()
  const rotated = issuer.rotate()
  const waiting = exchange(rotated, false)
  let served = 0
  for (const end = performance.now() + HOLE_MS; performance.now() < end; await sleep(PAUSE_MS)) {
    served += (await exchange(known, true)).accepted
  }
  const lost = proxy.held - held
  proxy.heal()
  // On a busy machine some clients give up before they get an answer. Only the missing success counts.
  const inVain = (await waiting).others
  await mayAskIssuer(world)
  const learned = (await exchange(rotated, false)).accepted
  if (learned > 0) issuer.learned(rotated.id)
  const taken = {
    kind: 'refresh-issuer',
    words: ['issuers', 'refresh', issuer.url],
    ends: `issuer-key ${issuer.takeBack()}`,
  } as const
  const status = await command(taken, ratafia, recorder)
  return {
    'packets lost': lost,
    'exchanges with a known key meanwhile': served,
    'exchanges with an unknown key not accepted': inVain,
    'exchanges with that key afterwards': learned,
    'keys withdrawn': Number(status === 200),
  }
}

/** Makes it look as if more than a minute has passed, because the service asks an issuer at most once a minute. */
const mayAskIssuer = ({ statement }: World): Promise<unknown> =>
  statement('update oidc_issuer_keys set tried_at = tried_at - 61000')
