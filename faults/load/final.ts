/** When all faults are over: does everything that was acknowledged still hold, and what does the service say itself? */
import type { Truth } from '../history.ts'
import type { Command } from '../world/command.ts'
import type { Client } from './client.ts'
import { registrationAgain, verification } from './device.ts'
import { whoami } from './log-in.ts'
import type { Request } from './wire.ts'

const AT_ONCE = 8
/** Of the devices of each client: a registration costs what many verifications cost. */
const DEVICES = 12

/** Shows every token and every session that was ever handed out, each to some node. */
export async function showEverything(clients: readonly Client[]): Promise<void> {
  const requests = clients.flatMap((client) => {
    const { tokens, endedTokens, sessions, endedSessions, devices } = client
    const all: Request[] = [
      ...[...tokens, ...endedTokens].map((token) => whoami(token, true)),
      ...[...sessions, ...endedSessions].map((session) => verification(session, true)),
      ...devices.slice(0, DEVICES).map((device) => registrationAgain(device, true)),
    ]
    return all.map((request) => ({ client, request }))
  })
  const worker = async () => {
    for (let next = requests.pop(); next; next = requests.pop()) {
      const { client, request } = next
      await client.wire.send(client.wire.pick(client.random), request, client.random)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

/** By the commands an operator has. */
export async function readTruth(ratafia: Command): Promise<Omit<Truth, 'lost'>> {
  const [sessions, accounts, devices] = await Promise.all([
    json(ratafia, ['tokens', 'list', '--include-inactive', '--json']),
    json(ratafia, ['accounts', 'list', '--json']),
    json(ratafia, ['devices', 'export', '--format', 'json']),
  ])
  return {
    sessions: new Map(sessions.map((row) => [String(row['session-id']), row['revoked-at'] != null])),
    accounts: new Map(accounts.map((row) => [String(row['username']), row['disabled_at'] != null])),
    devices: devices
      .filter(({ status }) => status === 'active' || status === 'revoked')
      .map((row) => ({
        model: String(row['model']),
        serial: String(row['serial']),
        key: String(row['device_key_id']),
        revoked: row['status'] === 'revoked',
      })),
  }
}

async function json(ratafia: Command, words: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, stdout, stderr } = await ratafia(words)
  if (code !== 0) throw new Error(`ratafia ${words.join(' ')} exited ${code}: ${stderr}`)
  return JSON.parse(stdout)
}
