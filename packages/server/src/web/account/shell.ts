/** What is around the pages of one's own account at the identity service: the console of the same service, if it has one. */
import { type ConsoleContent, consolePage, type Frame } from '../console/layout.ts'
import { html } from '../html.ts'
import { type PageContent, page } from '../layout.ts'
import { words } from '../words/en.ts'

/** Of the console, for the person who is signed in. */
export type AccountFrame = Omit<Frame, 'csrf' | 'notice' | 'problems'>

export function accountShell(content: PageContent, frame: AccountFrame | undefined): string {
  if (!frame) return page(content)
  const { title, failed, body } = content
  const shown: ConsoleContent = {
    ...{ title, failed, section: 'me', isNarrow: true },
    trail: [['/console/me', words.me.title]],
    body: html`<div class="card account">${body}</div>`,
  }
  // The session of the console ends on its own pages: no text of it is known here.
  return consolePage(shown, { ...frame, csrf: undefined })
}
