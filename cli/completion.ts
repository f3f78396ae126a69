/** `erphost completion`: scripts of shells, from the declared commands and options. */
import { Argument, Command } from "commander";
import { pathOf } from "./help";
import type { World } from "./world";

interface Place {
  /** `pipeline plan`; nothing for the program itself. */
  readonly path: string;
  readonly commands: readonly string[];
  readonly options: readonly Flag[];
  readonly words: readonly string[];
}

interface Flag {
  readonly name: string;
  readonly takesValue: boolean;
  /** What the value may be; where there are none, a file. */
  readonly values: readonly string[];
  readonly doc: string;
}

function placesIn(command: Command): Place[] {
  const options = command.options.map(
    ({ long, flags, required, optional, argChoices, description }) => ({
      ...{ name: long ?? flags, takesValue: required || optional, values: argChoices ?? [] },
      doc: description,
    }),
  );
  const help = { name: "--help", takesValue: false, values: [], doc: "Show help." };
  return [
    {
      path: pathOf(command),
      commands: command.commands.map((inner) => inner.name()),
      options: [...options, help],
      words: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    },
    ...command.commands.flatMap(placesIn),
  ];
}

const quoted = (text: string): string => `'${text.replaceAll("'", "’")}'`;

/** The table that bash and zsh read alike: `path`, `last` and `found` are variables of theirs. */
const tableOf = (places: readonly Place[]): string[] => [
  `  case "$path:$last" in`,
  ...places.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ name, values }) =>
          `    ${quoted(`${path}:${name}`)}) found=${quoted(values.join(" "))} ;;`,
      ),
  ),
  `    *) case "$path" in`,
  ...places.map(({ path, commands, options, words }) => {
    const all = [...commands, ...words, ...options.map(({ name }) => name)];
    return `      ${quoted(path)}) found=${quoted(all.join(" "))} ;;`;
  }),
  "    esac ;;",
  "  esac",
];

const descents = (places: readonly Place[]): string =>
  places
    .flatMap(({ path, commands }) => commands.map((name) => quoted(`${path} ${name}`)))
    .join("|");

const bash = (places: readonly Place[]): string[] => [
  "_erphost() {",
  `  local path= found= i last="\${COMP_WORDS[COMP_CWORD-1]}" word="\${COMP_WORDS[COMP_CWORD]}"`,
  // Of `--tool=t` the sign is a word.
  `  if [ "$last" = = ]; then last="\${COMP_WORDS[COMP_CWORD-2]}"; elif [ "$word" = = ]; then word=; fi`,
  "  for ((i = 1; i < COMP_CWORD; i++)); do",
  `    case "$path \${COMP_WORDS[i]}" in ${descents(places)}) path="\${path:+$path }\${COMP_WORDS[i]}" ;; esac`,
  "  done",
  ...tableOf(places),
  `  COMPREPLY=($(compgen -W "$found" -- "$word"))`,
  "}",
  "complete -o default -F _erphost erphost",
];

const zsh = (places: readonly Place[]): string[] => [
  "#compdef erphost",
  "_erphost() {",
  `  local place= found= word last="\${words[CURRENT-1]}"`,
  `  if [[ $words[CURRENT] = --*=* ]]; then last="\${words[CURRENT]%%=*}"; compset -P '*='; fi`,
  "  for word in ${words[2,CURRENT-1]}; do",
  `    case "$place $word" in ${descents(places)}) place="\${place:+$place }$word" ;; esac`,
  "  done",
  // In zsh, path is the list that PATH is made of.
  ...tableOf(places).map((line) => line.replace("$path", "$place")),
  "  compadd -- ${=found} || _files",
  "}",
  // Sourced, or found by its name on fpath.
  `if [ "$funcstack[1]" = _erphost ]; then _erphost "$@"; else compdef _erphost erphost; fi`,
];

const fish = (places: readonly Place[]): string[] => [
  "function __erphost_path",
  "  set -l path",
  "  set -l all (commandline -opc)",
  "  for word in $all[2..-1]",
  `    switch "$path $word"`,
  `      case ${descents(places).replaceAll("|", " ")}`,
  `        set path (string trim "$path $word")`,
  "    end",
  "  end",
  // Always one word: a list without any would make a test of nothing.
  `  echo "x$path"`,
  "end",
  ...places.flatMap(({ path, commands, options, words }) => {
    const at = `complete -c erphost -n "test (__erphost_path) = 'x${path}'"`;
    const all = [...commands, ...words];
    return [
      ...(all.length > 0 ? [`${at} -f -a ${quoted(all.join(" "))}`] : []),
      ...options.map(({ name, takesValue, values, doc }) => {
        const value = values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : " -r";
        return `${at} -l ${name.slice(2)}${takesValue ? value : ""} -d ${quoted(doc)}`;
      }),
    ];
  }),
];

const SHELLS = { bash, zsh, fish };

/** @public The command, loaded by name. `program` is the whole of the command line. */
export const completionCommand = (world: World, program: () => Command): Command =>
  new Command("completion")
    .description("Print a script by which a shell completes commands and options.")
    .addArgument(new Argument("<shell>", "The shell.").choices(Object.keys(SHELLS)))
    .action((shell: keyof typeof SHELLS) => {
      for (const line of SHELLS[shell](placesIn(program()))) world.print(line);
    });
