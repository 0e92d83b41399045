/** Reads the operator's assertion files, and explains what is wrong with them in a sentence. */
import { AssertionError, decodeStream, type TypeName, type UnverifiedAssertion } from '@ratafia/assertions'
import { invalidField } from '../errors.ts'
import { textOr } from '../files/foreign-text.ts'

/** The name appears in messages. */
export interface NamedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Returns a file's assertions. Throws `invalid-field` if there is none or one is malformed; verifies nothing. */
export function readAssertions(file: NamedFile): readonly UnverifiedAssertion[] {
  const text = textOr(file.bytes, (fault) => invalidField(`${file.name} ${fault}`))
  const assertions = explainToOperator(() => decodeText(text), `${file.name} contains no readable assertion`)
  if (assertions.length > 0) return assertions
  throw invalidField(`${file.name} is empty. Give a file with assertions, as \`snap known\` prints them.`)
}

/**
 * Editors and version control on Windows write line ends as CR LF, which no signature covers. If the original text
 * can't be read, it is read with LF only: the signature decides whether that is the text that was signed.
 */
function decodeText(text: string): readonly UnverifiedAssertion[] {
  try {
    return decodeStream(text)
  } catch (error) {
    if (!(error instanceof AssertionError) || !text.includes('\r\n')) throw error
    return decodeStream(text.replaceAll('\r\n', '\n'))
  }
}

/** Returns the file's only assertion of this type, and the others. Throws as {@link readAssertions} does. */
export function assertionIn<Type extends TypeName>(
  file: NamedFile,
  type: Type,
): { readonly assertion: UnverifiedAssertion<Type>; readonly others: readonly UnverifiedAssertion[] } {
  const all = readAssertions(file)
  const isOfType = (one: UnverifiedAssertion): boolean => one.type === type
  const [assertion, second] = all.filter(isOfType)
  if (assertion === undefined) {
    throw invalidField(
      `${file.name} has no ${type} assertion, only ${[...new Set(all.map((one) => one.type))].join(', ')}.`,
    )
  }
  if (second !== undefined)
    throw invalidField(`${file.name} has several ${type} assertions. Give one at a time.`)
  // `isOfType` proves the type.
  return {
    assertion: assertion as UnverifiedAssertion<Type>,
    others: all.filter((one) => !isOfType(one)),
  }
}

/** Turns an `AssertionError` into `invalid-field` for the operator: `what`, a colon, the reason, and the remedy. */
export function explainToOperator<T>(work: () => T, what: string): T {
  try {
    return work()
  } catch (error) {
    throw explanation(error, what)
  }
}

/** Does the same as {@link explainToOperator} for a promise. */
export async function explainToOperatorAsync<T>(work: () => Promise<T>, what: string): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explanation(error, what)
  }
}

function explanation(error: unknown, what: string): unknown {
  if (!(error instanceof AssertionError)) return error
  return invalidField(`${what}: ${error.message}.${ADVICE[error.code] ?? ''}`, { cause: error })
}

const MAKE_ROOT =
  ' Make that account a trust root with `ratafia trust add`, or get assertions that a root signed.'
const NEWER_KEY = ' Get a newer account-key assertion for it.'
const NEWER_REVISION = ' Give a newer one, or keep the stored one.'

/** The remedy, where the reason alone doesn't suggest one. */
const ADVICE: Readonly<Partial<Record<AssertionError['code'], string>>> = {
  'unknown-key':
    ' Give the account-key assertion of that key as well, or make it a trust root with `ratafia trust add`.',
  untrusted: MAKE_ROOT,
  'untrusted-signer': MAKE_ROOT,
  'key-expired': NEWER_KEY,
  'key-not-yet-valid': NEWER_KEY,
  'timestamp-outside-validity': NEWER_KEY,
  'bad-signature': ' It was changed after it was signed, perhaps by an editor: get the file again.',
  'same-revision': NEWER_REVISION,
  'older-revision': NEWER_REVISION,
  'missing-account': ' Give the missing assertion as well.',
  'authority-not-allowed': ' Give the model assertion that names it as well.',
}
