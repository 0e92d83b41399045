/** Searches bytes for secrets in every encoding in which a program may have written them. */

/** A secret to search for, and its name in the findings. */
export interface Secret {
  readonly name: string
  readonly bytes: Buffer
}

const PIECE = 24

/** Returns a secret and, if it is long, its pieces, because a line of a PEM file or a truncated log has only a part. */
export function secretsOf(name: string, value: string | Uint8Array): readonly Secret[] {
  const bytes = Buffer.from(value)
  if (bytes.length < 8) throw new TypeError(`${name} has only ${bytes.length} bytes, which occur by chance`)
  const pieces: Secret[] = [{ name, bytes }]
  for (let at = 0; at + PIECE <= bytes.length && bytes.length > PIECE; at += PIECE) {
    pieces.push({ name: `${name} (bytes ${at} to ${at + PIECE})`, bytes: bytes.subarray(at, at + PIECE) })
  }
  return pieces
}

/** Returns the spellings of a secret, by name. */
export function spellings({ bytes }: Secret): ReadonlyMap<string, Buffer> {
  const text = bytes.toString('utf8')
  const isText = Buffer.from(text).equals(bytes)
  const all = new Map<string, Buffer>([
    ['raw', bytes],
    ['hex', Buffer.from(bytes.toString('hex'))],
    ['HEX', Buffer.from(bytes.toString('hex').toUpperCase())],
    ['percent-encoded', Buffer.from(bytes.toString('hex').replace(/../g, '%$&'))],
    ['Percent-encoded', Buffer.from(bytes.toString('hex').toUpperCase().replace(/../g, '%$&'))],
    ['as a list of numbers', Buffer.from([...bytes].join(','))],
  ])
  if (isText) {
    all.set('in JSON', Buffer.from(JSON.stringify(text).slice(1, -1)))
    all.set('in JSON in JSON', Buffer.from(JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)))
    all.set('in a query', Buffer.from(encodeURIComponent(text)))
    all.set('in a form', Buffer.from(new URLSearchParams({ v: text }).toString().slice(2)))
    all.set(
      'in HTML',
      Buffer.from(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')),
    )
  } else {
    all.set('in JSON', Buffer.from(JSON.stringify(bytes.toString('latin1')).slice(1, -1)))
  }
  // In longer base64, a secret can begin at three positions, and its first and last digits depend on its neighbours.
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([Buffer.alloc(before), bytes])
    const whole = padded.subarray(0, padded.length - (padded.length % 3)).toString('base64')
    const own = whole.slice(before === 0 ? 0 : 4)
    all.set(`base64 (${before})`, Buffer.from(own))
    all.set(`base64url (${before})`, Buffer.from(own.replaceAll('+', '-').replaceAll('/', '_')))
  }
  return all
}

/** Lists the secrets in the places, with their encodings. */
export function find(
  secrets: readonly Secret[],
  places: Readonly<Record<string, Uint8Array>>,
): readonly string[] {
  const found: string[] = []
  const haystacks = Object.entries(places).map(([place, bytes]) => [place, Buffer.from(bytes)] as const)
  for (const secret of secrets) {
    for (const [spelling, needle] of spellings(secret)) {
      for (const [place, haystack] of haystacks) {
        if (haystack.includes(needle)) found.push(`${secret.name}, ${spelling}, is in ${place}`)
      }
    }
  }
  return found
}
