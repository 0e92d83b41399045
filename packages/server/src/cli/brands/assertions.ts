/** `ratafia assertions`: signs assertions of a brand or a root, as `snap sign` does. */
import type { Command } from 'commander'
import type { NamedFile } from '../../brands/assertion-file.ts'
import { systemClock } from '../../clock.ts'
import { isStreamed } from '../../files/streamed.ts'
import { type CommandContext, type Streams, UsageError } from '../context.ts'
import { one, writeOut } from '../files/write-whole.ts'
import { readGiven } from '../files.ts'
import { harmless } from '../terminal/harmless.ts'
import { KEY_FORMS, PASSPHRASE, type PassphraseOption, readKey, readPassphrase } from './private-keys.ts'

interface SignOptions extends PassphraseOption {
  readonly key?: string
  readonly output?: string
}

export function assertionCommands(parent: Command, context: CommandContext): void {
  const assertions = parent.command('assertions').description('sign assertions of a brand or a root')

  assertions
    .command('sign [file]')
    .description('sign JSON in the form for `snap sign`, from a file or from standard input')
    .option('--key <key>', `${KEY_FORMS} (default: a stored signing key of the authority-id)`)
    .option('--output <file>', 'write the assertion here instead of printing it')
    .option(...PASSPHRASE)
    .action((file: string | undefined, options: SignOptions) => sign(file ?? '-', options, context))
}

async function sign(file: string, options: SignOptions, context: CommandContext): Promise<void> {
  if (file === '-' && options.passphraseStdin) {
    throw new UsageError('The passphrase comes from standard input. Pass the JSON as a file.')
  }
  const source = await readGiven(file, context.streams)
  const { key } = options
  const signed = await (key === undefined
    ? signHere(source, context)
    : signElsewhere(source, { ...options, key }, context))
  await writeAssertion(signed, options.output, context.streams)
}

async function signHere(source: NamedFile, context: CommandContext): Promise<Uint8Array> {
  const { readStatement, signWithStoredKey } = await import('../../brands/sign-statement.ts')
  return context.withInstallation((installation) =>
    signWithStoredKey(
      { statement: readStatement(source, installation.clock()), authority: installation.authority },
      installation,
    ),
  )
}

/** Signs with a given key. This needs no installation, so it can run where the private key is. */
async function signElsewhere(
  source: NamedFile,
  options: SignOptions & { readonly key: string },
  context: CommandContext,
): Promise<Uint8Array> {
  const { readStatement, signWith } = await import('../../brands/sign-statement.ts')
  const now = systemClock()
  const statement = readStatement(source, now)
  const key = await readKey(context, options.key, await readPassphrase(context, options))
  return signWith(key, statement, now)
}

/** Prints an assertion, or writes it to `file` and then prints where it is. Throws `FileError`. */
export async function writeAssertion(
  assertion: Uint8Array,
  file: string | undefined,
  streams: Streams,
): Promise<void> {
  const isPipe = file !== undefined && (await isStreamed(file))
  await writeOut(one(Buffer.from(assertion).toString('utf8')), file, streams)
  if (file !== undefined && !isPipe) streams.stdout.write(`The signed assertion is in ${harmless(file)}.\n`)
}
