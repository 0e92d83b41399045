/** A credential in every form that tools take, as data: for a page that shows it once. */
import {
  type Addresses,
  CREDENTIAL_FORM_NAMES,
  CREDENTIAL_FORMS,
  type CredentialForm,
  credentialString,
  type FormUse,
} from '../dialects/credential-strings.ts'

export interface MintedCredential {
  readonly token: string
  /** Undefined where no root with a discharge verifies. */
  readonly pair: { readonly root: string; readonly discharge: string } | undefined
}

export interface CredentialText {
  readonly form: CredentialForm
  /** Who takes it. */
  readonly meaning: string
  readonly uses: readonly FormUse[]
  /** The secret. */
  readonly text: string
}

export interface LeftOutForm extends Omit<CredentialText, 'text'> {
  /** A sentence. */
  readonly why: string
}

/** Those that hold the root and its discharge. */
const NEED_PAIR: ReadonlySet<CredentialForm> = new Set(['snapcraft', 'env'])

/** In the order of `ratafia login --help`. */
export function textsOf(
  { token, pair }: MintedCredential,
  addresses: Addresses,
): { readonly forms: readonly CredentialText[]; readonly leftOut: readonly LeftOutForm[] } {
  const described = (form: CredentialForm) => {
    const { meaning, uses } = CREDENTIAL_FORMS[form]
    return { form, meaning, uses: [...uses] }
  }
  const isThere = (form: CredentialForm) => pair !== undefined || !NEED_PAIR.has(form)
  // Without a pair, no form that is written has these.
  const credential = { ...(pair ?? { root: token, discharge: token }), token }
  return {
    forms: CREDENTIAL_FORM_NAMES.filter(isThere).map((form) => ({
      ...described(form),
      text: credentialString(form, credential, addresses),
    })),
    leftOut: CREDENTIAL_FORM_NAMES.filter((form) => !isThere(form)).map((form) => ({
      ...described(form),
      why: 'The identity service of this installation is another one, which does not know your account, so a login of it cannot be made here.',
    })),
  }
}
