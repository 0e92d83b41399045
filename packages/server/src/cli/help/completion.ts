/** `ratafia completion`: a script for the shell, made from the table of commands. */
import { Argument, type Command } from 'commander'
import { ColumnsOption } from '../columns.ts'
import type { Streams } from '../context.ts'
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
    .addArgument(new Argument('<shell>', 'whose script').choices(Object.keys(SHELLS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SHELLS) => {
      stdout.write(SHELLS[shell](pathsOf(program)))
    })
}

interface Word {
  readonly text: string
  readonly description: string
  /** An option that takes a value; what it can be, where that is known. */
  readonly value?: readonly string[]
  /** Its value is several of these, separated by commas. */
  readonly several?: boolean
}

/** A command that words lead to, and what may follow. */
interface Path {
  /** `accounts add`; '' for the program itself. */
  readonly name: string
  readonly commands: readonly Word[]
  readonly options: readonly Word[]
}

function pathsOf(command: Command, name = ''): readonly Path[] {
  const options = command.options.map(
    (option): Word => ({
      text: option.long ?? option.flags,
      description: option.description,
      ...(option instanceof ColumnsOption
        ? { value: option.columns, several: true }
        : option.required || option.optional
          ? { value: option.argChoices ?? [] }
          : {}),
    }),
  )
  const path: Path = {
    name,
    commands: command.commands.flatMap((child) =>
      [child.name(), ...child.aliases()].map((text) => ({ text, description: child.description() })),
    ),
    options: [...options, { text: '--help', description: 'show what the command takes' }],
  }
  const below = command.commands.flatMap((child) =>
    [child.name(), ...child.aliases()].flatMap((text) => pathsOf(child, `${name} ${text}`.trim())),
  )
  return [path, ...below]
}

/** In single quotes, for bash and zsh. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'"'"'`)}'`

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** For bash and zsh: what to do where a value is due, by the command and the option before it. */
const valueCases = (paths: readonly Path[], commandOf: (word: Word) => string): string =>
  paths
    .flatMap(({ name, options }) =>
      options
        .filter(({ value }) => value !== undefined)
        .map((word) => `    ${quoted(`${name} ${word.text}`)}) ${commandOf(word)} ;;`),
    )
    .join('\n')

const namesOf = (paths: readonly Path[]): readonly string[] =>
  paths.map(({ name }) => name).filter((name) => name !== '')

function bashScript(paths: readonly Path[]): string {
  const cases = paths.map(({ name, commands, options }) => {
    const proposals = [...commands, ...options].map(({ text }) => text).join(' ')
    return `    ${quoted(name)}) proposals=${quoted(proposals)} ;;`
  })
  return `# bash completion for ratafia
_ratafia() {
  local name='' next proposals='' word
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
${valueCases(paths, ({ value = [], several }) => `proposals=${quoted(value.join(' '))}${several ? '; several=1' : ''}`)}
  esac
  if [ -n "$several" ]; then
    compopt -o nospace 2>/dev/null
    before="\${current%"\${current##*,}"}"
  fi
  COMPREPLY=($(compgen -P "$before" -W "$proposals" -- "\${current#"$before"}"))
}
# What is neither a command nor an option is the name of a file.
complete -o default -F _ratafia ratafia
`
}

function zshScript(paths: readonly Path[]): string {
  const cases = paths.map(({ name, commands, options }) => {
    const proposals = [...commands, ...options].map(({ text, description }) =>
      quoted(`${text}:${description.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}`),
    )
    return `    ${quoted(name)}) proposals=(${proposals.join(' ')}) ;;`
  })
  return `#compdef ratafia
_ratafia() {
  local name='' next word
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
${valueCases(paths, zshValues)}
  esac
  _describe ratafia proposals
  _files
}
compdef _ratafia ratafia
`
}

const zshValues = ({ value = [], several }: Word): string =>
  value.length === 0
    ? '_files; return'
    : several
      ? `_values -s , value ${value.join(' ')}; return`
      : `compadd ${value.join(' ')}; return`

function fishScript(paths: readonly Path[]): string {
  const lines = paths.flatMap(({ name, commands, options }) => {
    const at = `complete -c ratafia -n ${quoted(`__ratafia_at "${name}"`)}`
    return [
      ...commands.map(({ text, description }) => `${at} -f -a ${text} -d ${fishQuoted(description)}`),
      ...options.map(({ text, description, value, several }) => {
        const proposed = several ? `(__ratafia_several ${value?.join(' ')})` : value?.join(' ')
        const takes = value === undefined ? '' : proposed === '' ? ' -r' : ` -x -a ${quoted(proposed ?? '')}`
        return `${at} -l ${text.slice(2)}${takes} -d ${fishQuoted(description)}`
      }),
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
# Proposes each behind what stands before the last comma.
function __ratafia_several
  set -l before (string replace -r '[^,]*$' '' -- (string replace -r '^--[a-z-]*=' '' -- (commandline -ct)))
  printf '%s\\n' "$before"$argv
end
${lines.join('\n')}
`
}
