/** Signs out browsers of the caller's account: one, or all but some. */
import { isSessionId } from '@ratafia/api'
import { type Authority, requireRecentPerson } from '../../authority.ts'
import { invalidField, noSuchRecord } from '../../errors.ts'
import type { Stores } from '../../stores.ts'
import { type FoundBrowser, listBrowsers, type SignedInBrowser } from './list-browsers.ts'

/**
 * Signs out one browser, and returns it as it was. Management sessions that it opened are separate entries in
 * the list, and stay. Throws `no-such-record`, with the same message for a browser of another account, for
 * one that is signed out already, and for a session that is not a browser.
 */
export async function endBrowser(
  { authority, id }: { readonly authority: Authority; readonly id: string },
  stores: Stores,
): Promise<SignedInBrowser> {
  const browser = (await listBrowsers({ authority }, stores)).find((one) => one.id === id)
  if (!browser || (await end([browser], authority, stores)) === 0) {
    throw noSuchRecord('There is no browser with this id that is signed in as you.', { kind: 'browser', id })
  }
  return browser
}

/**
 * Signs out all listed browsers except `allBut`, in one transaction. Returns their number. Throws `person-required`,
 * `recent-sign-in-required`, and `invalid-field` if `allBut` has an id that is not a browser of this account.
 */
export async function endBrowsers(
  { authority, allBut }: { readonly authority: Authority; readonly allBut: readonly string[] },
  stores: Stores,
): Promise<{ readonly ended: number }> {
  requireRecentPerson(authority, stores.clock())
  const browsers = await listBrowsers({ authority }, stores)
  const unknown = allBut.find((id) => !browsers.some((browser) => browser.id === id))
  if (unknown !== undefined) {
    throw invalidField(
      `body/all_but names ${JSON.stringify(unknown)}, which isn't a browser that is signed in as you. No browser was signed out.`,
      { field: 'body/all_but' },
    )
  }
  return {
    ended: await end(
      browsers.filter(({ id }) => !allBut.includes(id)),
      authority,
      stores,
    ),
  }
}

/** Signs them out in one transaction. Returns the number of those that were signed in until then. */
const end = (
  browsers: readonly FoundBrowser[],
  { author, by }: Authority,
  { changeBy, clock }: Stores,
): Promise<number> =>
  changeBy(author)(async ({ signInSessions, tokenSessions, record }) => {
    let ended = 0
    for (const { id, idHash } of browsers) {
      if (idHash) {
        if (!(await signInSessions.remove(idHash))) continue
        await record({ action: 'account.sign-out', subject: by, details: { browser: id } })
      } else {
        const revoked = isSessionId(id) ? await tokenSessions.revoke({ id, at: clock(), by }) : undefined
        if (!revoked?.first) continue
        await record({ action: 'token.revoke', subject: id })
      }
      ended += 1
    }
    return ended
  })
