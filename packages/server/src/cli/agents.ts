/** `ratafia agents`: programs that log in with a key of their own, as an account. */
import type { Command } from 'commander'
import { addAgent } from '../identity/add-agent.ts'
import { listAgents } from '../identity/list-agents.ts'
import { removeAgent } from '../identity/remove-agent.ts'
import type { CommandContext } from './context.ts'
import { type JsonOption, print, printList, withJson } from './output.ts'
export function agentCommands(_parent: Command, _context: CommandContext): void {}
void [addAgent, listAgents, removeAgent, print, printList, withJson] as unknown as JsonOption
