/** A mail server in this process. It keeps the e-mails that it receives, and can be stopped or refuse them. */
import { once } from 'node:events'
import { after, before } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from '../../../../tools/test/free-port.ts'

export interface ReceivedLetter {
  readonly from: string
  readonly to: readonly string[]
  /** The values of the headers, unfolded and decoded, by name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>
  readonly text: string
  readonly raw: string
}

export interface TestMailServer {
  readonly port: number
  /** Returns the e-mails since the last call. */
  take(): readonly ReceivedLetter[]
  /** The attempted logins, as `USER:PASSWORD`. */
  readonly logins: readonly string[]
  /** Sets the code for refusing e-mails; undefined to accept them. */
  refuseWith(code: number | undefined): void
  /** Stops listening. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
}

/** Returns a mail server that runs during the suite's tests. */
export function testMailServer(options: SMTPServerOptions = {}): TestMailServer {
  let letters: ReceivedLetter[] = []
  const logins: string[] = []
  let code: number | undefined
  let port = 0
  let server: SMTPServer | undefined
  const made = () =>
    new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) => {
        logins.push(`${username}:${password}`)
        done(null, { user: username })
      },
      onData: (stream, session, done) => {
        void stream.toArray().then((chunks) => {
          if (code !== undefined) return done(Object.assign(new Error('not now'), { responseCode: code }))
          const { mailFrom, rcptTo } = session.envelope
          letters.push({
            ...letterIn(Buffer.concat(chunks).toString('latin1')),
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
          })
          done()
        }, done)
      },
      ...options,
    })
  const start = async () => {
    if (port === 0) port = await freePort()
    server = made()
    server.on('error', () => {})
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
  }
  const stop = async () => {
    const ending = server
    server = undefined
    await new Promise<void>((resolve) => (ending ? ending.close(resolve) : resolve()))
  }
  before(start)
  after(stop)
  return {
    get port() {
      return port
    },
    logins,
    take: () => {
      const taken = letters
      letters = []
      return taken
    },
    refuseWith: (next) => {
      code = next
    },
    start,
    stop,
  }
}

function letterIn(raw: string): Pick<ReceivedLetter, 'headers' | 'text' | 'raw'> {
  const end = raw.indexOf('\r\n\r\n')
  const headers = new Map<string, string[]>()
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]/g, ' ')
    .split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/s.exec(line) ?? []
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), words(value)])
  }
  const encoding = headers.get('content-transfer-encoding')?.[0] ?? '7bit'
  return { headers, text: decoded(raw.slice(end + 4), encoding).replace(/\r\n/g, '\n'), raw }
}

/** Decodes a header's encoded words (RFC 2047). */
function words(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : decoded(text.replaceAll('_', ' '), 'quoted-printable'),
    )
}

function decoded(text: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString()
  if (encoding !== 'quoted-printable') return Buffer.from(text, 'latin1').toString()
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
