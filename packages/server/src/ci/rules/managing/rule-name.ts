/** The names of rules: audit entries, descriptions of sessions and requests that choose a rule have them. */

const RULE_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
export const isRuleName = (text: string): boolean => RULE_NAME.test(text)
