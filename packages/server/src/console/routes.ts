/** The pages of the console, noun by noun. */
import type { ConsoleRoutes } from '../http/console/console-routes.ts'
import { tokenPageRoutes } from './token-routes.ts'

export function consolePages(pages: ConsoleRoutes): void {
  tokenPageRoutes(pages)
}
