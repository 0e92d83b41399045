/** The operator's duties about CI rules: see `operator.ts`. */
import { type Client, move } from './client.ts'
import { exchangingIdToken, GIVES, newRule, type Rule } from './job.ts'
import { endSessionsOf, idTokenOf } from './jobs.ts'
import { whoami } from './log-in.ts'
import type { Choice, Duty } from './operator.ts'
import type { Random } from './random.ts'

/** The duties, which are done in order, repeatedly. */
export const RULE_DUTIES: readonly Duty[] = [removeRule, addRule, disableRule, addRule]

/** Adds a rule for a person without one. A client has two rules, one for each of its people. */
function addRule({ people, rules, issuer }: Client, random: Random): Choice | undefined {
  const person = people.find((one) => rules.every((rule) => rule.person !== one))
  if (!person) return undefined
  // The rules of a new world have small numbers.
  const rule = newRule(person, 1_000 + random.below(1_000_000))
  return {
    kind: 'add-rule',
    words: [
      ...['publishers', 'add', rule.name, '--issuer', issuer.url, '--account', person.username],
      ...Object.entries(rule.match).flatMap(([claim, value]) => ['--match', `${claim}=${value}`]),
      ...['--package', GIVES.package, '--permission', GIVES.permission],
      ...['--lifetime', `${GIVES.lifetimeSeconds}`],
    ],
    done: (status) => {
      if (status === 200) rules.push(rule)
    },
  }
}

function removeRule(client: Client, random: Random): Choice | undefined {
  const rule = ruleToEnd(client, random)
  return rule && { kind: 'remove-rule', words: ['publishers', 'remove', rule.name], ...ending(client, rule) }
}

function disableRule(client: Client, random: Random): Choice | undefined {
  const rule = ruleToEnd(client, random)
  return (
    rule && { kind: 'disable-rule', words: ['publishers', 'disable', rule.name], ...ending(client, rule) }
  )
}

/** Picks a rule to remove or disable. Leaves the client one, and prefers a rule whose token nodes may have cached. */
function ruleToEnd({ rules, jobTokens }: Client, random: Random): Rule | undefined {
  if (rules.length < 2) return undefined
  const name = random.pick(jobTokens)?.rule
  return rules.find((rule) => rule.name === name) ?? random.pick(rules)
}

function ending(client: Client, rule: Rule): Omit<Choice, 'kind' | 'words'> {
  const { rules, endedRules, jobTokens } = client
  const token = jobTokens.find((one) => one.rule === rule.name)
  const idToken = idTokenOf(rule, client)
  return {
    ends: `rule ${rule.name}`,
    show: token && whoami(token),
    ...(idToken && { tried: exchangingIdToken(idToken) }),
    done: (status) => {
      // A refused command changed nothing.
      if (status === 400) return
      move(rule, rules, endedRules)
      endSessionsOf(client, (one) => one.rule === rule.name)
    },
  }
}
