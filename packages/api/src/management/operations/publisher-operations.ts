/** Publishing from CI: the accepted issuers, and the caller's own CI rules. */
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
    summary: 'Lists the issuers whose ID tokens CI jobs can exchange; an operator adds them on the host',
    errors: [],
    response: IssuersSchema,
  },
  myPublishers: {
    ...MANAGEMENT_ROUTES.myPublishers,
    ...SIGNED_IN,
    summary: 'Lists my rules that give CI jobs tokens, by name',
    description:
      'This API cannot create a rule, because a rule outlives every token. Use the console, which requires a very recent sign-in, or the command line on the host.',
    errors: [],
    query: PageQuerySchema,
    response: PublishersSchema,
  },
  myPublisher: {
    ...MANAGEMENT_ROUTES.myPublisher,
    ...SIGNED_IN,
    summary: 'Returns one of my rules by its name, with its risks',
    errors: ['no-such-record'],
    response: ShownPublisherSchema,
    record: true,
  },
  testMyPublisher: {
    ...MANAGEMENT_ROUTES.testMyPublisher,
    ...SIGNED_IN,
    summary: 'Checks claim by claim whether a job with these claims gets a token by one of my rules',
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
    summary: 'Removes one of my rules, and revokes the sessions that it opened',
    errors: ['no-such-record', 'version-mismatch'],
    body: EmptyObjectSchema,
    response: RemovedPublisherSchema,
    actions: ['publisher.remove'],
  },
} as const satisfies Record<string, ManagementOperation>
