/** What a finding of the status says, as markup. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'

/** What stands between backticks is a command, to be typed as it is. */
export const withCommands = (says: string, limit: number): Html[] =>
  visibleText(says, limit)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
