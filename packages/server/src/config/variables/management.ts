/** The variables of administration over HTTP. */
import { optional, row } from '../row.ts'
import { oneOf, parseManagementLifetime, parseName, parseProxies } from '../values.ts'

export const MANAGEMENT_VARIABLES = {
  RATAFIA_MANAGEMENT: row({
    default: 'on',
    meaning:
      '`on`: serve the management API at `/api/management/v1` and the console; `off`: answer 404 there',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_MANAGEMENT_FROM: optional({
    default: 'none: from anywhere',
    meaning:
      'Comma-separated addresses or CIDR blocks that can use the management API and the console; others get 404 there',
    parse: parseProxies,
  }),
  RATAFIA_CONSOLE: row({
    default: 'on',
    meaning: '`on`: serve the pages at `/console/` if the management API is on; `off`: answer 404 there',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_SETUP: row({
    default: 'on',
    meaning:
      '`on`: while there is no account, a setup link creates the first operator in a browser; `off`: only commands do',
    parse: oneOf('on', 'off'),
  }),
  RATAFIA_SETUP_LINK: row({
    default: 'terminal',
    meaning:
      '`terminal`: `serve` prints a setup link only if its standard output is a terminal; `print`: always, also into a log that others may read',
    parse: oneOf('terminal', 'print'),
  }),
  RATAFIA_NAME: optional({
    default: 'the host of the base URL',
    meaning:
      'Name of this installation, which the console shows next to the name of the software: at most 64 characters',
    parse: parseName,
  }),
  RATAFIA_MANAGEMENT_LIFETIME: row({
    default: '8h',
    meaning:
      'Lifetime of a management token whose request does not name one, from 1m to 24h. It cannot be renewed',
    parse: parseManagementLifetime,
  }),
} as const
