/**
 * How each tool logs in to one installation: a row for each tool, with the URLs filled in. The front page shows them,
 * and docs/publishers.md has the same variables. The evidence is in contract/publisher-login.md, "Pointing a client
 * at a server".
 */
import { type Addresses, addressVariables, type CredentialForm } from '../credential-forms.ts'

export interface ToolFacts extends Addresses {
  /** Whether tools can log in with a password. */
  readonly passwordLogins: boolean
  /** The URL for a gadget's `device-service.url`, with the final slash that it needs. */
  readonly deviceService: string
}

export interface Tool {
  readonly name: string
  /** The variables that the tool uses to find the service. They belong to the shell, unless `daemon` is set. */
  readonly variables: (facts: ToolFacts) => Readonly<Record<string, string>>
  /** The program that reads the variables, if it is not started from the shell. */
  readonly daemon?: string
  /** The commands of a login that asks for a password; absent for a tool without such a login. */
  readonly password?: (facts: ToolFacts) => readonly string[]
  /** The commands of a login in the browser or by an agent; absent for a tool that accepts no credential. */
  readonly credential?: (facts: ToolFacts) => readonly string[]
  /** A complete Python program that uses the credential, as lines. */
  readonly program?: (facts: ToolFacts) => readonly string[]
  /** Further advice. */
  readonly note?: (facts: ToolFacts) => string
}

export const TOOLS: readonly Tool[] = [
  {
    name: 'snapcraft 7 and newer',
    variables: (facts) => {
      const { STORE_DASHBOARD_URL, UBUNTU_ONE_SSO_URL } = addressVariables(facts)
      return { STORE_DASHBOARD_URL, UBUNTU_ONE_SSO_URL }
    },
    password: () => ['snapcraft login', 'snapcraft whoami'],
    credential: (facts) => [exported('SNAPCRAFT_STORE_CREDENTIALS', 'snapcraft', facts), 'snapcraft whoami'],
    note: () => 'snapcraft refuses “login” while SNAPCRAFT_STORE_CREDENTIALS is set.',
  },
  {
    name: 'snapcraft (on-prem mode)',
    variables: ({ baseUrl }) => ({
      SNAPCRAFT_STORE_AUTH: 'onprem',
      STORE_DASHBOARD_URL: `${baseUrl}/publishergw`,
    }),
    credential: (facts) => [
      exported('SNAPCRAFT_ADMIN_MACAROON', 'raw', facts),
      'snapcraft login',
      'snapcraft whoami',
    ],
  },
  {
    name: 'charmcraft 4.4 and newer',
    variables: (facts) => {
      const { CHARMCRAFT_STORE_API_URL, CHARMCRAFT_STORE_SSO_URL } = addressVariables(facts)
      return { CHARMCRAFT_STORE_API_URL, CHARMCRAFT_STORE_SSO_URL }
    },
    password: () => ['charmcraft login', 'charmcraft whoami'],
    credential: (facts) => [exported('CHARMCRAFT_AUTH', 'charmcraft', facts), 'charmcraft whoami'],
  },
  {
    name: 'craft-store (Python)',
    variables: () => ({}),
    credential: (facts) => [exported('STORE_AUTH', 'snapcraft', facts)],
    program: ({ baseUrl, signOn }) => [
      'from craft_store import UbuntuOneStoreClient, endpoints',
      '',
      'client = UbuntuOneStoreClient(',
      `    base_url="${baseUrl}",`,
      `    storage_base_url="${baseUrl}",`,
      `    auth_url="${signOn}",`,
      '    endpoints=endpoints.U1_SNAP_STORE,',
      '    application_name="my-tool",',
      '    user_agent="my-tool/1.0",',
      '    environment_auth="STORE_AUTH",',
      ')',
      'print(client.whoami())',
    ],
    note: () =>
      'If your store accepts uploads at another URL, set storage_base_url to it. Choose application_name and user_agent yourself.',
  },
  {
    name: 'surl',
    variables: ({ baseUrl, signOn }) => ({
      SURL_SCA_BASE_URL: baseUrl,
      SURL_API_BASE_URL: baseUrl,
      SURL_SSO_BASE_URL: signOn,
      SURL_SSO_LOCATION: new URL(signOn).host,
    }),
    password: () => ['surl -s local -a work -e YOU@EXAMPLE.COM'],
  },
  {
    name: 'snap login',
    variables: ({ signOn }) => ({ SNAPPY_FORCE_SSO_URL: `${signOn}/api/v2` }),
    daemon: 'snapd',
    password: () => ['sudo snap login YOU@EXAMPLE.COM'],
    note: () =>
      'snapd sends its other requests to dashboard.snapcraft.io. This name must resolve to this service, with a certificate that snapd trusts.',
  },
  {
    name: 'ubuntu-image and snap prepare-image',
    variables: () => ({}),
    credential: (facts) => [exported('UBUNTU_STORE_AUTH', 'onprem', facts)],
  },
  {
    name: 'curl',
    variables: () => ({}),
    credential: (facts) => [
      `umask 077 && ratafia tokens create --all --url ${facts.baseUrl} > token`,
      `sed 's/^/Authorization: Macaroon /' token | curl -H @- ${facts.baseUrl}/api/v2/tokens/whoami`,
    ],
    note: () => 'Because curl reads it from a file, the token does not appear in the list of processes.',
  },
  {
    name: 'All tools at once, in a shell',
    variables: () => ({}),
    credential: ({ baseUrl }) => [
      `credentials="$(ratafia tokens create --for env --all --url ${baseUrl})" && eval "$credentials"`,
    ],
    note: () => 'With --agent FILE, a pipeline logs in without a browser.',
  },
]

const exported = (variable: string, form: CredentialForm, { baseUrl }: ToolFacts): string =>
  `export ${variable}="$(ratafia tokens create --for ${form} --all --url ${baseUrl})"`
