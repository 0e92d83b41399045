/** The name of a rule: it stands in audit entries, in descriptions of sessions, and in requests that choose a rule. */

const RULE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
export const isRuleName = (text: string): boolean => RULE_NAME.test(text)
