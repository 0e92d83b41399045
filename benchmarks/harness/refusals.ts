/** Checks that the measured service itself refuses what it must refuse, right after its load. */
import {
  ask,
  nonceRequest,
  open,
  opening,
  register,
  registration,
  requestIdRequest,
} from '../../faults/load/device.ts'
import { logIn, revoke, whoami } from '../../faults/load/log-in.ts'
import { seeded } from '../../faults/load/random.ts'
import type { Person, Scene } from '../../faults/load/scene.ts'
import { newRecorder, Wire } from '../../faults/load/wire.ts'
import { sleep } from '../../faults/world/processes.ts'
import { command } from '../services/command.ts'
import type { Service } from '../services/ratafia.ts'

export interface Refusal {
  readonly what: string
  /** The status of the response. */
  readonly status: number
  readonly refused: boolean
}

/** The time within which a node refuses what another process, such as a command, has revoked. */
const EVERYWHERE_MS = 1_000
/** More wrong credentials than the default limit allows: 600 from one address at once, and then ten a second. */
const MANY = 3_000

/** Disables the scene's last person, and registers a device with the last model and key. */
export async function refusalsOf(service: Service, scene: Scene): Promise<readonly Refusal[]> {
  const target = { name: 'ours', port: service.port }
  const wire = new Wire([target], newRecorder())
  const random = seeded('refusals', String(service.port))
  const token = async (person: Person) => {
    const made = await logIn(person, wire, random)
    if (!made || (await wire.send(target, whoami(made))).status !== 200)
      throw new Error('a valid token is refused')
    return made
  }
  try {
    const [first, last] = [scene.people[0], scene.people.at(-1)]
    if (!first || !last || first === last) throw new TypeError('the scene has two people')
    const revoked = await token(first)
    await wire.send(target, revoke(revoked, revoked))
    const afterRevocation = await wire.send(target, whoami(revoked))

    const replayed = await replayNonce(wire, scene)

    const disabled = await token(last)
    await command(service.installation, ['accounts', 'disable', '--yes', last.username])
    await sleep(EVERYWHERE_MS)
    const afterDisabling = await wire.send(target, whoami(disabled))
    await command(service.installation, ['accounts', 'enable', last.username])

    return [
      { what: 'a revoked token', ...outcome(afterRevocation, 401) },
      { what: 'a replayed nonce', ...outcome(replayed, 400) },
      { what: "a disabled account's token", ...outcome(afterDisabling, 401) },
      { what: 'too many wrong tokens of one address', ...outcome(await flood(service.port), 429) },
    ]
  } finally {
    wire.close()
  }
}

const outcome = ({ status }: { readonly status: number }, expected: number) => ({
  status,
  refused: status === expected,
})

/** Sends another request with the nonce of a session. The same request would get the same session again. */
async function replayNonce(wire: Wire, { models, keys }: Scene): Promise<{ readonly status: number }> {
  const random = seeded('refusals', 'nonce')
  const [model, key] = [models.at(-1), keys.at(-1)]
  if (!model || !key) throw new TypeError('the scene has a model and a key')
  const requestId = (await ask(requestIdRequest, wire, random)) ?? ''
  const unit = { model, key }
  const device = await register(unit, registration(unit, requestId), wire, random)
  const nonce = (await ask(nonceRequest, wire, random)) ?? ''
  const session = device && (await open(device, opening(device, nonce), wire, random))
  if (!session) throw new Error('a valid device could not open a session')
  return wire.send(wire.pick(random), opening(device, nonce, session))
}

/** Sends wrong tokens until the limit refuses one, at most {@link MANY}, and returns the last response. */
async function flood(port: number): Promise<{ readonly status: number }> {
  let last = { status: 0 }
  const headers = { authorization: 'Macaroon AgEB', 'x-forwarded-for': '192.0.2.1' }
  for (let sent = 0; sent < MANY && last.status !== 429; sent++) {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v2/tokens/whoami`, { headers })
    await answer.arrayBuffer()
    last = { status: answer.status }
  }
  return last
}
