/** Reads an exported credential as its holder can: its session, its expiry, and how to present it. */
import {
  decodeBase64,
  decodeBinary,
  type Macaroon,
  MacaroonError,
  type UnverifiedSlice,
} from '@ratafia/macaroon'
import { earliestTimeBefore } from '@ratafia/macaroon/conditions'
import { storedCredential } from '../../../http/credentials/stored.ts'
import { ServiceRefusal } from '../../context.ts'
import { valueIn } from '../../login/read-credential.ts'

export interface HeldCredential {
  /** As it is presented: a discharge is bound to its root. */
  readonly slice: UnverifiedSlice
  readonly sessionId: string
  /** Undefined: it says no time. */
  readonly end: Date | undefined
}

/**
 * Reads every form that `ratafia tokens create` and `ratafia ci login` write, also as a line `NAME=…`. `where`: what has
 * the text, at the beginning of a sentence. Throws {@link ServiceRefusal}, which does not repeat it.
 */
export function heldCredential(text: string, where: string): HeldCredential {
  const slice = sliceIn(valueIn(text))
  if (slice === undefined) throw new ServiceRefusal(`${where} has no credential that this command can read.`)
  const conditions = conditionsOf(slice[0])
  const [sessionId] = conditions.flatMap(
    (condition) => /^session-id ([0-9a-f-]{1,64})$/.exec(condition)?.[1] ?? [],
  )
  if (sessionId === undefined) {
    throw new ServiceRefusal(
      `${where} has a credential without a session, which cannot be ended by its holder. It ends by itself.`,
    )
  }
  return { slice, sessionId, end: endOf(conditions) }
}

function sliceIn(text: string): UnverifiedSlice | undefined {
  const inside = Buffer.from(text, 'base64').toString('utf8')
  const ways = [() => storedCredential(text), () => binary(text), () => binary(inside)]
  for (const read of ways) {
    try {
      const slice = read()
      if (slice) return slice
    } catch (error) {
      if (!(error instanceof MacaroonError)) throw error
    }
  }
  return undefined
}

const binary = (text: string): UnverifiedSlice => decodeBinary(decodeBase64(text))

const conditionsOf = ({ caveats }: Macaroon): readonly string[] =>
  caveats
    .filter(({ verificationId }) => verificationId === undefined)
    .map(({ id }) => Buffer.from(id).toString('utf8'))

function endOf(conditions: readonly string[]): Date | undefined {
  try {
    return earliestTimeBefore(conditions)
  } catch {
    return undefined
  }
}
