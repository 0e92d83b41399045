import { BakeryError, decodePublicKey } from '@ratafia/macaroon/bakery'

/** The public key of an agent, from base64. Throws what `refusal` makes of a key that cannot be one. */
export function agentKey(text: string, refusal: (cause: BakeryError) => Error): Uint8Array {
  try {
    return decodePublicKey(text)
  } catch (error) {
    throw error instanceof BakeryError ? refusal(error) : error
  }
}
