/** The page of the identity service's own address, for a person who opens it. */
import { html } from './html.ts'
import { page } from './layout.ts'

export const identityFrontPage = ({ account }: { readonly account: string }): string =>
  page({
    title: 'Sign in',
    body: html`<p>Programs send people here to prove who they are. When a program asks you to log in, open the address that
it shows.</p>
<p><a href="${account}">Your account</a>: password and second factor.</p>`,
  })
