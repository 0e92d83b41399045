/** How users type a code of a second factor or a recovery code. */

/** Returns a code without what was typed between its groups, such as spaces and dashes, and with full-width characters narrowed. */
export const bareCode = (typed: string): string => typed.normalize('NFKC').replace(/[\s\p{Pd}]/gu, '')
