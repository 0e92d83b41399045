/** A credential in every form that tools take, as data: for a page that shows it once. */
import {
  type Addresses,
  CREDENTIAL_FORM_NAMES,
  CREDENTIAL_FORMS,
  type CredentialForm,
  credentialString,
  type FormUse,
} from '../dialects/credential-forms.ts'

export interface MintedCredential {
  readonly token: string
  /** Undefined where no root with a discharge verifies. */
  readonly pair: { readonly root: string; readonly discharge: string } | undefined
}

export interface FilledForm {
  readonly form: CredentialForm
  /** Who takes it. */
  readonly meaning: string
  readonly uses: readonly FormUse[]
  /** The secret. */
  readonly text: string
}

export interface LeftOutForm extends Omit<FilledForm, 'text'> {
  /** A sentence. */
  readonly why: string
}

/** In the order of `ratafia login --help`. */
export function formsOf(
  { token, pair }: MintedCredential,
  addresses: Addresses,
): { readonly forms: readonly FilledForm[]; readonly leftOut: readonly LeftOutForm[] } {
  const described = (form: CredentialForm) => {
    const { meaning, uses } = CREDENTIAL_FORMS[form]
    return { form, meaning, uses: [...uses] }
  }
  const isThere = (form: CredentialForm) => pair !== undefined || !CREDENTIAL_FORMS[form].hasPair
  // Without a pair, no form that has these is written.
  const credential = { ...(pair ?? { root: token, discharge: token }), token }
  return {
    forms: CREDENTIAL_FORM_NAMES.filter(isThere).map((form) => ({
      ...described(form),
      text: credentialString(form, credential, addresses),
    })),
    leftOut: CREDENTIAL_FORM_NAMES.filter((form) => !isThere(form)).map((form) => ({
      ...described(form),
      why: 'This installation uses another identity service, which does not know your account. So the console cannot make a login of that service.',
    })),
  }
}
