/** Publishing from CI: the issuers that are taken, and one's own rules. */
import { EmptyObjectSchema } from '../../tokens.ts'
import { type ManagementOperation, SIGNED_IN } from '../operation.ts'
import { MANAGEMENT_ROUTES } from '../routes.ts'
import {
  IssuersSchema,
  PageQuerySchema,
  PublishersSchema,
  RemovedPublisherSchema,
  ShownPublisherSchema,
  TestedPublisherSchema,
  TestPublisherSchema,
} from '../schemas/index.ts'

export const PUBLISHER_OPERATIONS = {
  issuers: {
    ...MANAGEMENT_ROUTES.issuers,
    ...SIGNED_IN,
    summary:
      'The issuers whose ID tokens are taken from jobs of CI systems. An operator adds them on the host',
    errors: [],
    response: IssuersSchema,
  },
  myPublishers: {
    ...MANAGEMENT_ROUTES.myPublishers,
    ...SIGNED_IN,
    summary: 'The rules by which jobs of CI systems get tokens of mine, by name',
    description:
      'Nobody makes a rule over this API, because it outlives every token: the console does it, for people who just signed in, and the command line on the host.',
    errors: [],
    query: PageQuerySchema,
    response: PublishersSchema,
  },
  myPublisher: {
    ...MANAGEMENT_ROUTES.myPublisher,
    ...SIGNED_IN,
    summary: 'One of my rules, by its name, with what is risky about it',
    errors: ['no-such-record'],
    response: ShownPublisherSchema,
    record: true,
  },
  testMyPublisher: {
    ...MANAGEMENT_ROUTES.testMyPublisher,
    ...SIGNED_IN,
    summary: 'Whether a job with these claims gets a token by one of my rules, claim by claim',
    description:
      'Nothing is changed, stored or fetched. An ID token is not used up, and its signature is not checked.',
    onlyReads: true,
    errors: ['no-such-record'],
    body: TestPublisherSchema,
    bodyRequired: true,
    response: TestedPublisherSchema,
  },
  removeMyPublisher: {
    ...MANAGEMENT_ROUTES.removeMyPublisher,
    ...SIGNED_IN,
    summary: 'Removes one of my rules, and ends the sessions that it opened',
    errors: ['no-such-record', 'version-mismatch'],
    body: EmptyObjectSchema,
    response: RemovedPublisherSchema,
    actions: ['publisher.remove'],
  },
} as const satisfies Record<string, ManagementOperation>
