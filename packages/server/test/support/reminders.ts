/** Runs the periodic jobs of `start/` for reminders when a test wants, under the test's clock. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Account } from '../../src/accounts/account.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Installation } from '../../src/installation.ts'
import { jobsOf } from '../../src/start/service/jobs.ts'
import { reminderSenders } from '../../src/start/service/reminders.ts'
import { createLog } from '../../src/telemetry/log.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import type { TestMailServer } from './mail-server.ts'
import type { TestService } from './service.ts'
import { WEBHOOK_SECRET, type WebhookReceiver } from './webhook-receiver.ts'

export const DAY = 86_400_000
export const BASE_URL = 'https://store.example.com'

export interface TestReminders {
  /** Runs the reminders job once. A process runs it every half minute. */
  run(): Promise<void>
  /** Runs the retention job once. */
  retain(): Promise<void>
  /** Returns the metric `ratafia_reminders_total`, by channel and outcome. */
  counted(): Promise<Readonly<Record<string, number>>>
  /** The logged warnings. */
  readonly log: readonly object[]
}

interface Receivers {
  readonly mail?: Pick<TestMailServer, 'port'>
  readonly webhook?: Pick<WebhookReceiver, 'url'>
}

export async function remindersOf(
  installation: Installation,
  { mail, webhook }: Receivers,
  environment: Readonly<Record<string, string>> = {},
): Promise<TestReminders> {
  const config = readConfig({
    RATAFIA_BASE_URL: BASE_URL,
    ...(mail && { RATAFIA_SMTP_URL: `smtp://store:p%40ss@127.0.0.1:${mail.port}` }),
    ...(webhook && { RATAFIA_WEBHOOK_URL: webhook.url, RATAFIA_WEBHOOK_SECRET: WEBHOOK_SECRET }),
    ...environment,
  })
  const logged: object[] = []
  const silent = createLog({ level: 'silent', pretty: false })
  const log = Object.assign(Object.create(silent), { warn: (entry: object) => void logged.push(entry) })
  const telemetry = await createTelemetry({ log, release: 'test', tracing: undefined, metrics: true })
  const senders = await reminderSenders(config, log)
  const jobs = jobsOf(installation, log, telemetry, senders)
  const run = async (wanted: string) => {
    const job = jobs.find(({ name }) => name === wanted)
    assert.ok(job)
    await job.run(async () => true)
  }
  return {
    run: () => run('reminders'),
    retain: () => run('retention'),
    counted: async () => {
      const metrics = await telemetry.metrics.registry.getMetricsAsJSON()
      const found = metrics.find(({ name }) => name === 'ratafia_reminders_total')
      return Object.fromEntries(
        (found?.values ?? []).map(({ labels, value }) => [
          `${labels['channel']} ${labels['outcome']}`,
          value,
        ]),
      )
    },
    log: logged,
  }
}

/** Advances the clock to noon UTC of the next day, so that the date does not change during the test. */
export function toNoon(service: TestService): void {
  service.advance(1.5 * DAY - (service.now().getTime() % DAY))
}

interface Session {
  readonly endsIn: number
  readonly life?: number
  readonly description?: string
  readonly columns?: object
}

/** Adds a developer token's session that expires in `endsIn` days, with a lifetime of `life` days. Returns its id. */
export async function addSession(
  { installation, now }: Pick<TestService, 'installation' | 'now'>,
  { id }: Pick<Account, 'id'>,
  { endsIn, life = 365, description = 'ci: edge', columns = {} }: Session,
): Promise<string> {
  const until = now().getTime() + endsIn * DAY
  const session = randomUUID()
  await installation.database.query
    .insertInto('token_session')
    .values({
      ...{ session_id: session, account_id: id, description },
      ...{ valid_since: until - life * DAY, valid_until: until, created_at: until - life * DAY },
      ...columns,
    })
    .execute()
  return session
}
