/**
 * `ratafia completion`: a script for the shell, generated from the table of commands. On TAB it starts no
 * process: it knows commands, options, choices and where a file name is expected, but no records.
 */
import { ROLE_NAMES } from '@ratafia/api/roles'
import { Argument, type Command, type Option } from 'commander'
import type { Streams } from '../context.ts'
import { ColumnsOption } from '../output.ts'
import { goes } from '../service/ways.ts'

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

const HELP = `
Load it in the shell's start file:
  bash  source <(ratafia completion bash)    in ~/.bashrc
  zsh   source <(ratafia completion zsh)     in ~/.zshrc, after compinit
  fish  ratafia completion fish | source     in ~/.config/fish/config.fish`

export function completionCommand(program: Command, { stdout }: Streams): void {
  goes(program.command('completion'), 'none')
    .description('print a script that completes commands and options in your shell')
    .addArgument(new Argument('<shell>', 'your shell').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SHELLS) => {
      stdout.write(SHELLS[shell](pathsOf(program)))
    })
}

/** The possible values, by the name of the value in the help. */
const VALUES: Readonly<Record<string, readonly string[]>> = { role: ROLE_NAMES, 'on|off': ['on', 'off'] }
/** The names of values that are files. */
const FILES: ReadonlySet<string> = new Set(['file', 'path', 'key'])

interface Word {
  readonly text: string
  readonly description: string
  /** The value, if the word is an option that requires or accepts one. */
  readonly value?: Value
}

interface Value {
  /** The possible values, if they are known. */
  readonly choices: readonly string[]
  /** Whether the value can be several of them, separated by commas. */
  readonly several?: boolean
  /** Whether the value is the name of a file. */
  readonly file: boolean
}

/** A command with the words that can follow it. */
interface Path {
  /** `accounts add`; '' for the program itself. */
  readonly name: string
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
  readonly argument: Value
}

function pathsOf(command: Command, name = ''): readonly Path[] {
  const options = command.options.map(
    (option): Word => ({
      text: option.long ?? option.flags,
      description: option.description,
      ...(option.required || option.optional ? { value: valueTaken(option) } : {}),
    }),
  )
  const given = command.registeredArguments
  const path: Path = {
    name,
    commands: command.commands.flatMap((child) =>
      [child.name(), ...child.aliases()].map((text) => ({ text, description: child.description() })),
    ),
    options: [...options, { text: '--help', description: 'show the usage of the command' }],
    argument: {
      choices: given.flatMap((argument) => argument.argChoices ?? VALUES[argument.name()] ?? []),
      file: given.some((argument) => FILES.has(argument.name())),
    },
  }
  const below = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((text) => pathsOf(child, `${name} ${text}`.trim())),
  )
  return [path, ...below]
}

function valueTaken(option: Option): Value {
  if (option instanceof ColumnsOption) return { choices: option.columns, several: true, file: false }
  const [, name = ''] = /[<[]([^>\]]+)[>\]]/.exec(option.flags) ?? []
  return { choices: option.argChoices ?? VALUES[name] ?? [], file: FILES.has(name) }
}

/** Puts text in single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** Returns the branches of a `case` for bash and zsh that propose values, by the command and the option before them. */
const valueCases = (paths: readonly Path[], commandOf: (value: Value) => string): string =>
  paths
    .flatMap(({ name, options }) =>
      options.flatMap(({ text, value }) =>
        value === undefined ? [] : `    ${quoted(`${name} ${text}`)}) ${commandOf(value)} ;;`,
      ),
    )
    .join('\n')

const namesOf = (paths: readonly Path[]): readonly string[] =>
  paths.map(({ name }) => name).filter((name) => name !== '')

function bashScript(paths: readonly Path[]): string {
  const cases = paths.map(({ name, commands, options, argument }) => {
    const proposals = [...[...commands, ...options].map(({ text }) => text), ...argument.choices].join(' ')
    return `    ${quoted(name)}) proposals=${quoted(proposals)}${argument.file ? '; files=1' : ''} ;;`
  })
  return `# bash completion for ratafia
_ratafia() {
  local name='' next proposals='' files='' word IFS=$' \\t\\n'
  local current="\${COMP_WORDS[COMP_CWORD]}" before='' several=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${name:+$name }$word"
    case "$next" in
      ${namesOf(paths).map(quoted).join(' | ')}) name="$next" ;;
    esac
  done
  case "$name" in
${cases.join('\n')}
  esac
  case "$name \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(paths, bashValue)}
  esac
  if [ -n "$several" ]; then
    compopt -o nospace 2>/dev/null
    before="\${current%"\${current##*,}"}"
  fi
  COMPREPLY=($(compgen -P "$before" -W "$proposals" -- "\${current#"$before"}"))
  if [ -n "$files" ]; then
    compopt -o filenames 2>/dev/null
    IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -F _ratafia ratafia
`
}

const bashValue = ({ choices, several, file }: Value): string =>
  `proposals=${quoted(choices.join(' '))}; files=${file ? '1' : ''}${several ? '; several=1' : ''}`

function zshScript(paths: readonly Path[]): string {
  const cases = paths.map(({ name, commands, options, argument }) => {
    const proposals = [
      ...[...commands, ...options].map(({ text, description }) =>
        quoted(`${text}:${description.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`),
      ),
      ...argument.choices.map(quoted),
    ]
    const files = argument.file ? '; files=1' : ''
    return `    ${quoted(name)}) proposals=(${proposals.join(' ')})${files} ;;`
  })
  return `#compdef ratafia
_ratafia() {
  local name='' next word files=''
  local -a proposals
  for word in "\${(@)words[2,CURRENT-1]}"; do
    next="\${name:+$name }$word"
    case "$next" in
      ${namesOf(paths).map(quoted).join(' | ')}) name="$next" ;;
    esac
  done
  case "$name" in
${cases.join('\n')}
  esac
  case "$name $words[CURRENT-1]" in
${valueCases(paths, zshValue)}
  esac
  _describe ratafia proposals
  [[ -z $files ]] || _files
}
compdef _ratafia ratafia
`
}

function zshValue({ choices, several, file }: Value): string {
  if (file) return '_files; return'
  if (choices.length === 0) return 'return'
  return several ? `_values -s , value ${choices.join(' ')}; return` : `compadd ${choices.join(' ')}; return`
}

function fishScript(paths: readonly Path[]): string {
  const lines = paths.flatMap(({ name, commands, options, argument }) => {
    const at = `complete -c ratafia -n ${quoted(`__ratafia_at "${name}"`)}`
    return [
      ...commands.map(({ text, description }) => `${at} -a ${text} -d ${fishQuoted(description)}`),
      ...(argument.choices.length > 0 ? [`${at} -a ${quoted(argument.choices.join(' '))}`] : []),
      ...(argument.file ? [`${at} -F`] : []),
      ...options.map(
        ({ text, description, value }) =>
          `${at} -l ${text.slice(2)}${fishValue(value)} -d ${fishQuoted(description)}`,
      ),
    ]
  })
  return `# fish completion for ratafia
function __ratafia_at
  set -l names ${namesOf(paths).map(quoted).join(' ')}
  set -l name
  for word in (commandline -opc)[2..-1]
    contains -- (string join ' ' -- $name $word) $names; and set -a name $word
  end
  test "$name" = "$argv[1]"
end
# Proposes each value with the text up to the last comma before it.
function __ratafia_several
  set -l before (string replace -r '[^,]*$' '' -- (string replace -r '^--[a-z-]*=' '' -- (commandline -ct)))
  printf '%s\\n' "$before"$argv
end
# Proposes files only where a file is expected.
complete -c ratafia -f
${lines.join('\n')}
`
}

function fishValue(value: Value | undefined): string {
  if (value === undefined) return ''
  const { choices, several, file } = value
  if (file) return ' -r -F'
  if (choices.length === 0) return ' -x'
  return ` -x -a ${quoted(several ? `(__ratafia_several ${choices.join(' ')})` : choices.join(' '))}`
}
