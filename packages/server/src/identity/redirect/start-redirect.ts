/** A browser that a web site sent here, with the address that it wants to go back to. */
import { invalidRequest } from '../../errors.ts'
import { randomId } from '../../random.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { openFor, sealFor, toText } from '../logins/sealed-texts.ts'
import { checkReturnTo } from './return-to.ts'

/** Candid takes any length; ours and theirs have at most 64 characters. */
const MOST_STATE = 512

export interface RedirectInput {
  /** From the login URL. */
  readonly redirect: string
  readonly returnTo: string
  /** Goes back as it is. */
  readonly state: string | undefined
}

/**
 * The `did` of the login's page. Throws `invalid-request` for a text that this service did not make, or an address to go
 * back to that is not allowed.
 */
export async function startRedirect(
  { redirect, returnTo, state }: RedirectInput,
  { keyring, returnPlaces }: Pick<IdentityDependencies, 'keyring' | 'returnPlaces'>,
): Promise<string> {
  const content = await openFor('redirect', redirect, keyring)
  if (!content) {
    throw invalidRequest(
      'This address is incomplete, or not from this identity service. Start the login again at the site that sent you here.',
    )
  }
  if (state !== undefined && state.length > MOST_STATE) {
    throw invalidRequest(`The parameter "state" is longer than ${MOST_STATE} characters.`)
  }
  const { isConsole } = checkReturnTo(returnTo, returnPlaces)
  const { caveat, own, ...shown } = content
  const back = {
    ...{ caveat, returnTo, state: state ?? null },
    // Nobody else could use what goes there: the console takes only what the same browser asked it for.
    console: isConsole && own,
  }
  return sealFor('visit', { ...shown, userAgent: '', login: toText(randomId(16)), back }, keyring)
}
