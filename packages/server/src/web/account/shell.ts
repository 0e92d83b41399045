/**
 * The frame of a user's own account pages at the identity service: the console's frame, if the service has a console.
 */
import { type ConsoleContent, consolePage, type Frame } from '../console/layout.ts'
import { html } from '../html.ts'
import { type PageContent, page } from '../layout.ts'
import { words } from '../words/en.ts'

/** The console's frame for the user who is signed in. */
export type AccountFrame = Omit<Frame, 'csrf' | 'notice' | 'problems'>

export function accountShell(content: PageContent, frame: AccountFrame | undefined): string {
  if (!frame) return page(content)
  const { title, failed, body } = content
  const shown: ConsoleContent = {
    ...{ title, failed, section: 'me', isNarrow: true },
    trail: [['/console/me', words.me.title]],
    body: html`<div class="card account">${body}</div>`,
  }
  // Only the console's own pages can sign out of it, because they have its CSRF token.
  return consolePage(shown, { ...frame, csrf: undefined })
}
