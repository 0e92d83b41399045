/** The wire schemas of browsers that are signed in. */
import { orNull } from '../../tokens.ts'
import { Type } from '../../type.ts'
import { exactly, listOf, nameOrId, Text } from './common.ts'

export const BrowserSchema = Type.Object(
  {
    id: Type.String({ description: 'It opens nothing' }),
    kind: Type.Enum(['sign-in', 'management'], {
      type: 'string',
      description:
        '`sign-in`: at the identity service of this installation. `management`: with a management token, as in the console',
    }),
    since: Text,
    until: Text,
    address: orNull(Text, 'Where it signed in from'),
    user_agent: orNull(Text, 'What it called itself'),
    description: orNull(Text),
    current: Type.Boolean({ description: 'Whether it is the one that asks, as far as that is known' }),
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
