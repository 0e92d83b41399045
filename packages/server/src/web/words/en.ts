/** All words of the console, in English: typed functions and texts, by page (contract/administration.md, C13). */
import * as common from './en/common.ts'
import { navigation } from './en/navigation.ts'
import { tokens } from './en/tokens.ts'

export const words = { ...common, navigation, tokens } as const
