/** Turns the text of a status finding into markup. */

import { visibleText } from '../../../text/visible-text.ts'
import { type Html, html } from '../../html.ts'

/** Shows the text between backticks as a command. */
export const withCommands = (says: string, limit: number): Html[] =>
  visibleText(says, limit)
    .split('`')
    .map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
