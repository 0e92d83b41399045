/**
 * One credential in every form that tools accept (contract/publisher-login.md, "Credential strings"). Stores
 * nothing and looks nothing up: the holder of the credential writes the string.
 */

/** A session in both dialects, as its holder presents it. */
export interface Credential {
  /** A version 1 root macaroon, in base64url. */
  readonly root: string
  /** The root's discharge, unbound: the tools bind it themselves. */
  readonly discharge: string
  /** The token of the same session: a version 2 macaroon, in base64url. */
  readonly token: string
}

/** Where tools find an installation; neither ends with a slash. */
export interface Addresses {
  readonly baseUrl: string
  /** The address before `/api/v2/tokens/discharge`, which tools use in place of Ubuntu One. */
  readonly signOn: string
}

/** Where a form is used. */
export interface FormUse {
  /** The tool's name in `web/tools.ts`. */
  readonly tool: string
  /** The tool's variable; absent if the tool reads it from elsewhere. */
  readonly variable?: string
}

interface Form {
  /** Which tools accept the form. */
  readonly meaning: string
  /** Whether it contains the root and its discharge, and not only the token. */
  readonly hasPair: boolean
  readonly uses: readonly FormUse[]
  readonly write: (credential: Credential, addresses: Addresses) => string
}

// With the spaces of Python's json.dumps: secret scanners recognise the strings by how they begin.
export const asSnapcraft = ({ root, discharge }: Pick<Credential, 'root' | 'discharge'>): string =>
  base64(`{"t": "u1-macaroon", "v": {"r": "${root}", "d": "${discharge}"}}`)
export const asOnprem = ({ token }: Pick<Credential, 'token'>): string =>
  base64(`{"t": "macaroon", "v": "${token}"}`)
const asCharmcraft = ({ token }: Credential): string => base64(token)

/** The forms, in the order of `ratafia login --help`. */
export const CREDENTIAL_FORMS = {
  snapcraft: {
    meaning: 'SNAPCRAFT_STORE_CREDENTIALS of snapcraft 7 and newer, and of craft-store',
    hasPair: true,
    uses: [
      { tool: 'snapcraft 7 and newer', variable: 'SNAPCRAFT_STORE_CREDENTIALS' },
      { tool: 'craft-store (Python)', variable: 'STORE_AUTH' },
    ],
    write: asSnapcraft,
  },
  onprem: {
    meaning: 'SNAPCRAFT_STORE_CREDENTIALS of snapcraft with SNAPCRAFT_STORE_AUTH=onprem; UBUNTU_STORE_AUTH',
    hasPair: false,
    uses: [
      { tool: 'ubuntu-image and snap prepare-image', variable: 'UBUNTU_STORE_AUTH' },
      { tool: 'snapcraft (on-prem mode)', variable: 'SNAPCRAFT_STORE_CREDENTIALS' },
    ],
    write: asOnprem,
  },
  charmcraft: {
    meaning: 'CHARMCRAFT_AUTH of charmcraft 4.4 and newer',
    hasPair: false,
    uses: [{ tool: 'charmcraft 4.4 and newer', variable: 'CHARMCRAFT_AUTH' }],
    write: asCharmcraft,
  },
  raw: {
    meaning: 'the token itself, for the header "Authorization: Macaroon TOKEN"',
    hasPair: false,
    uses: [{ tool: 'snapcraft (on-prem mode)', variable: 'SNAPCRAFT_ADMIN_MACAROON' }, { tool: 'curl' }],
    write: ({ token }) => token,
  },
  env: {
    meaning: 'lines for a shell: all these variables, and the addresses',
    hasPair: true,
    uses: [{ tool: 'All tools at once, in a shell' }],
    write: (credential, addresses) =>
      Object.entries({ ...addressVariables(addresses), ...credentialVariables(credential) })
        .map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'`)
        .join('\n'),
  },
} as const satisfies Readonly<Record<string, Form>>

export type CredentialForm = keyof typeof CREDENTIAL_FORMS

export const CREDENTIAL_FORM_NAMES = Object.keys(CREDENTIAL_FORMS) as readonly CredentialForm[]

/** Returns the text without a line end. Throws `TypeError` for a credential that is not in base64url. */
export function credentialString(form: CredentialForm, credential: Credential, addresses: Addresses): string {
  for (const [name, text] of Object.entries(credential)) {
    // So that nothing in it has a meaning in JSON or to a shell.
    if (!/^[A-Za-z0-9_-]+$/.test(text)) throw new TypeError(`The ${name} is not in base64url`)
  }
  return CREDENTIAL_FORMS[form].write(credential, addresses)
}

export interface MintedCredential {
  readonly token: string
  /** The root and its discharge; undefined if there is no root whose discharge verifies. */
  readonly pair: { readonly root: string; readonly discharge: string } | undefined
}

export interface FilledForm {
  readonly form: CredentialForm
  /** Which tools accept the form. */
  readonly meaning: string
  readonly uses: readonly FormUse[]
  /** The secret. */
  readonly text: string
}

export interface LeftOutForm extends Omit<FilledForm, 'text'> {
  /** Why the form is left out, as a sentence. */
  readonly why: string
}

/** Returns the forms in the order of `ratafia login --help`, for a page that shows a credential once. */
export function formsOf(
  { token, pair }: MintedCredential,
  addresses: Addresses,
): { readonly forms: readonly FilledForm[]; readonly leftOut: readonly LeftOutForm[] } {
  const described = (form: CredentialForm) => {
    const { meaning, uses } = CREDENTIAL_FORMS[form]
    return { form, meaning, uses: [...uses] }
  }
  const isThere = (form: CredentialForm) => pair !== undefined || !CREDENTIAL_FORMS[form].hasPair
  // Without a pair, none of the forms written below contains one.
  const credential = { ...(pair ?? { root: token, discharge: token }), token }
  return {
    forms: CREDENTIAL_FORM_NAMES.filter(isThere).map((form) => ({
      ...described(form),
      text: credentialString(form, credential, addresses),
    })),
    leftOut: CREDENTIAL_FORM_NAMES.filter((form) => !isThere(form)).map((form) => ({
      ...described(form),
      why: 'This installation uses another identity service, which does not know your account. So the console cannot create a login to that service.',
    })),
  }
}

/** Returns the variables that point tools at an installation. */
export const addressVariables = ({ baseUrl, signOn }: Addresses) => ({
  STORE_DASHBOARD_URL: baseUrl,
  UBUNTU_ONE_SSO_URL: signOn,
  CHARMCRAFT_STORE_API_URL: joinable(baseUrl),
  CHARMCRAFT_STORE_SSO_URL: joinable(signOn),
})

const credentialVariables = (credential: Credential) => ({
  SNAPCRAFT_STORE_CREDENTIALS: asSnapcraft(credential),
  UBUNTU_STORE_AUTH: asOnprem(credential),
  CHARMCRAFT_AUTH: asCharmcraft(credential),
})

/** charmcraft joins addresses as browsers do: without a final slash, it would drop the last part of the path. */
const joinable = (url: string): string => (new URL(url).pathname === '/' ? url : `${url}/`)

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')
