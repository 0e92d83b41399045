/** The page that users see when they open the URL of the identity service. */
import { html } from './html.ts'
import { page } from './layout.ts'

export const identityFrontPage = ({ account }: { readonly account: string }): string =>
  page({
    title: 'Sign in',
    body: html`<p>Programs send users here to prove who they are. When a program asks you to log in, open the URL that
it shows.</p>
<p><a href="${account}">Your account</a>: password and second factor.</p>`,
  })
