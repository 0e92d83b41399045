/** Reminders in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { undone } from '../change.ts'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import type { Stores } from '../stores.ts'
import { ownReminders, type Sending, switchOwnReminders } from './own-reminders.ts'

export function reminderManagementRoutes(add: AddManagementRoute, deps: Stores & Sending): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.myReminders, ({ authority }) => ownReminders({ authority }, deps))
  add(api.switchMyReminders, ({ authority, body, dryRun, ifMatch }) =>
    switchOwnReminders(
      { authority, on: body.reminders, mustBeSeen: ifMatch },
      dryRun ? { ...deps, changeBy: undone(deps.changeBy) } : deps,
    ),
  )
}
