/** Jobs after `rolling-upgrade`: the release before may know neither issuers nor rules. */
import { exchangingIdToken, newIdToken } from './load/job.ts'
import { command } from './load/operator.ts'
import { addRule } from './load/rule-duties.ts'
import type { Striking } from './striking.ts'

/** Exchanges an ID token at every node, by rules that are added where there are none. Returns how many succeeded. */
export async function exchangeAtEach({
  world: { nodes, issuer, ratafia },
  clients: [client],
  random,
  recorder,
}: Omit<Striking, 'round'>): Promise<number> {
  if (!client) return 0
  // The issuer, and a rule. The operator may be adding the same at this moment: then one of them is refused.
  for (let tries = 0; client.rules.length === 0 && tries < MOST_TRIES; tries++) {
    const chosen = addRule(client, random)
    if (chosen) chosen.done?.(await command(chosen, ratafia, recorder))
  }
  const [key] = issuer.keys
  const sent = client.rules.flatMap((rule) =>
    nodes.map((node) => key && client.wire.send(node, exchangingIdToken(newIdToken(rule, { issuer, key })))),
  )
  const answers = await Promise.all(sent)
  return answers.filter((answer) => answer?.status === 200).length
}

const MOST_TRIES = 4
