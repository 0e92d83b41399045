/** What a person signs in again for, and where they go on afterwards. */
import { type Html, html } from './html.ts'
import { CONFIRMED, type Confirmed, signIn } from './words/en/sign-in.ts'

const FORMS: ReadonlyMap<string, Confirmed> = new Map(Object.entries(CONFIRMED))
const { confirm } = signIn

/** `form`: a key of `CONFIRMED`. For another, a later release's perhaps, it says no more than that it is needed. */
export function confirmReason(form: string | undefined): Html {
  const confirmed = form === undefined ? undefined : FORMS.get(form)
  return confirmed === undefined
    ? html`${confirm.other} ${confirm.nextOther}`
    : html`${confirm.reason(confirmed)} ${confirm.next(html`<strong>${confirmed.page}</strong>`)}`
}
