/** Reminders in the management API: HTTP in, operation, HTTP out. */
import { MANAGEMENT_OPERATIONS } from '@ratafia/api/schemas'
import { tried } from '../change.ts'
import type { AddManagementRoute } from '../http/management/management-route.ts'
import type { Stores } from '../stores.ts'
import { ownReminders, type Sending, switchOwnReminders } from './own-reminders.ts'

export function reminderManagementRoutes(add: AddManagementRoute, deps: Stores & Sending): void {
  const api = MANAGEMENT_OPERATIONS

  add(api.myReminders, ({ authority }) => ownReminders({ authority }, deps))
  add(api.switchMyReminders, (asked) => {
    const { authority, body, ifMatch } = asked
    return switchOwnReminders({ authority, on: body.reminders, mustBeSeen: ifMatch }, tried(asked, deps))
  })
}
