/** What a finding of the status says, as markup. */
import { type Html, html } from '../../html.ts'
import { visibleText } from '../../visible-text.ts'

/** What stands between backticks is a command, to be typed as it is. */
export const withCommands = (says: string, limit: number): Html[] =>
  visibleText(says, limit)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
