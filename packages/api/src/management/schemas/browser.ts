/** The wire schemas of signed-in browsers. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { exactly, listOf, nameOrId, Text } from './common.ts'

export const BrowserSchema = Type.Object(
  {
    id: Type.String({ description: 'A public id, not a credential' }),
    kind: Type.Enum(['sign-in', 'management'], {
      type: 'string',
      description:
        '`sign-in`: at the identity service of this installation. `management`: with a management token, as in the console',
    }),
    since: Text,
    until: Text,
    address: orNull(Text, 'The address that it signed in from'),
    user_agent: orNull(Text, 'The `User-Agent` that it sent'),
    description: orNull(Text),
    current: Type.Boolean({ description: 'Whether it is the caller, as far as that is known' }),
  },
  { title: 'Browser', ...exactly },
)
export const BrowsersSchema = listOf('Browsers', 'browsers', BrowserSchema)
export const EndBrowsersSchema = Type.Object(
  {
    all_but: Type.Optional(
      Type.Array(nameOrId('The id of a browser'), {
        maxItems: 64,
        uniqueItems: true,
        description: 'The ids of the browsers that stay signed in',
      }),
    ),
  },
  { title: 'EndBrowsers', ...exactly },
)
export const EndedBrowsersSchema = Type.Object(
  { ended: Type.Integer({ description: 'How many browsers this request signed out' }) },
  { title: 'EndedBrowsers', ...exactly },
)
