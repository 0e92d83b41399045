/** The binary form of SSH: numbers, and strings with their length in front (RFC 4251, section 5). */

/** Each method reads what comes next. All throw the error from `refuse` if the bytes end too early. */
export interface WireReader {
  bytes(length: number): Buffer
  uint32(): number
  string(): Buffer
  /** Reads a string that must consist of printable ASCII. */
  text(): string
  /** Throws the error from `refuse` if bytes are left. */
  end(): void
}

export function readWire(all: Buffer, refuse: (fault: string) => Error): WireReader {
  let at = 0
  const bytes = (length: number) => {
    if (length > all.length - at) throw refuse('it ends too early')
    at += length
    return all.subarray(at - length, at)
  }
  const uint32 = () => bytes(4).readUInt32BE()
  const string = () => bytes(uint32())
  return {
    bytes,
    uint32,
    string,
    text: () => {
      const text = string().toString('latin1')
      if (!/^[ -~]*$/.test(text)) throw refuse('a name in it is not ASCII')
      return text
    },
    end: () => {
      if (at < all.length) throw refuse('it continues after its end')
    },
  }
}

/** Returns `bytes` with their length in front. */
export function wireString(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

/** Decodes padded standard base64 without white space. Each value has one encoding; returns undefined for others. */
export function strictBase64(text: string): Buffer | undefined {
  // Node skips unknown characters, so only encoding again shows whether all of them counted.
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
