/** Starts the login of a browser that a web site sent here, with the URL to return to. */
import { invalidRequest } from '../../errors.ts'
import { randomId } from '../../random.ts'
import type { IdentityDependencies } from '../dependencies.ts'
import { openFor, sealFor, toText } from '../logins/sealed-texts.ts'
import { checkReturnTo } from './return-to.ts'

/** Candid accepts any length. The states of our clients and theirs have at most 64 characters. */
const MOST_STATE = 512

export interface RedirectInput {
  /** The sealed text from the login URL. */
  readonly redirect: string
  readonly returnTo: string
  /** The site's own state, which is returned unchanged. */
  readonly state: string | undefined
}

/**
 * Returns the `did` of the login page. Throws `invalid-request` for a string that this service did not seal,
 * and for a URL to return to that is not allowed.
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
    // This needs no confirmation, because the console accepts only logins that the same browser started.
    console: isConsole && own,
  }
  return sealFor('visit', { ...shown, userAgent: '', login: toText(randomId(16)), back }, keyring)
}
