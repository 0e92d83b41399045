/** The variables of developer tokens: logins and lifetimes. */
import { optional, row } from '../row.ts'
import {
  oneOf,
  parseDuration,
  parseHostAndPort,
  parseIdentityUrl,
  parseJobLifetime,
  parseKnownServices,
  parseProxyUrl,
  parsePublicKey,
  parseReturnTo,
} from '../values.ts'

export const TOKEN_VARIABLES = {
  RATAFIA_IDENTITY_URL: optional({
    default: 'none: the bundled one',
    meaning: 'Location of an external identity service (a bakery discharger)',
    parse: parseIdentityUrl,
  }),
  RATAFIA_IDENTITY_PUBLIC_KEY: optional({
    default: 'none: fetched from `/discharge/info`',
    meaning: 'Public key of the external identity service, in base64, to pin it',
    parse: parsePublicKey,
  }),
  RATAFIA_IDENTITY_CONDITION: row({
    default: 'userid',
    meaning: '`userid` or `username`: what the identity service must declare about a user',
    parse: oneOf('userid', 'username'),
  }),
  RATAFIA_KNOWN_SERVICES: optional({
    default: 'none',
    meaning:
      'For the identity service: other services whose requests its pages show without a warning, and which programs can log in to with a password, as a comma-separated list of `URL=KEY`; KEY is the public key of kind `issuer` in `ratafia keys list` there',
    parse: parseKnownServices,
  }),
  RATAFIA_IDENTITY_RETURN_TO: optional({
    default: 'none: only the console of this service',
    meaning:
      'For the identity service: comma-separated URLs of web sites that may send users here to sign in, and get them back with a code. A URL that ends in `/` includes all URLs below it, any other only itself; https, or http on a loopback address',
    parse: parseReturnTo,
  }),
  RATAFIA_ACCOUNTS: row({
    default: 'auto',
    meaning:
      '`auto`: every user that an external identity service vouches for gets an account; `known`: only accounts that you linked beforehand',
    parse: oneOf('auto', 'known'),
  }),
  RATAFIA_PASSWORD_LOGINS: row({
    default: 'on',
    meaning:
      '`on`: snapcraft, charmcraft, `snap login` and similar tools can log in with a password; `off`: only browsers and agents. With an external identity service they can only if that is a Ratafia with this setting on',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_LOGIN_HOST: optional({
    default: 'the host of RATAFIA_BASE_URL, or of the identity service',
    meaning:
      'Host where snapcraft and similar tools log in, with its port unless it is the standard one, as written in their UBUNTU_ONE_SSO_URL',
    parse: parseHostAndPort,
  }),
  RATAFIA_DISCHARGE_LIFETIME: row({
    default: '24h',
    meaning: 'How long a login is used before snapcraft or a similar tool refreshes it automatically',
    parse: parseDuration,
  }),
  RATAFIA_DEVELOPER_ACCOUNT: row({
    default: 'on',
    meaning:
      '`on`: answer `GET /dev/api/account`, without snaps; `off`: leave the path to the store on the same host',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_TOKEN_LIFETIME: row({
    default: '365d',
    meaning:
      'Lifetime of a token whose request does not name an expiry (a number followed by s, m, h or d). Default: 365d, or RATAFIA_TOKEN_MAX_LIFETIME if shorter',
    parse: parseDuration,
  }),
  RATAFIA_TOKEN_MAX_LIFETIME: optional({
    default: 'none: no limit',
    meaning: 'Longest lifetime that can be requested for a token',
    parse: parseDuration,
  }),
  RATAFIA_CI_MAX_LIFETIME: row({
    default: '1h',
    meaning: 'Longest lifetime that a CI rule can give to its tokens, at least 60s',
    parse: parseJobLifetime,
  }),
  RATAFIA_ISSUER_PROXY: optional({
    default: 'none: issuers are connected to directly',
    meaning:
      'HTTP proxy, as `http://HOST:PORT` or with `USER:PASSWORD@`, for fetching the keys of issuers of ID tokens. The proxy resolves names itself, so their addresses are not checked here. Issuers with `--private-address`, or on this machine, are reached without it',
    parse: parseProxyUrl,
  }),
} as const
