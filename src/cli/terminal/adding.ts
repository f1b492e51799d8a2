// Helper functions for the files that define the commands of reprise.
import type { Command } from 'commander'

/** Loads the code of a command only when the command runs. */
export const later =
  <Args extends unknown[]>(load: () => Promise<(...args: Args) => unknown>) =>
  async (...args: Args): Promise<void> => {
    await (await load())(...args)
  }

/**
 * Collects the values of an option that may be given several times. (An option that takes a list of values would also
 * take the arguments that follow it and belong to the command.)
 */
export const eachOf = (value: string, before: readonly string[] = []): string[] => [...before, value]

/**
 * `group`: `otherName` works too, so that nobody has to know whether it is `task` or `tasks`; no help lists it.
 * `asking` is `command` for those that ask a server: they have the options that name it.
 */
export type Adders = {
  group(name: string, about: string, otherName?: string): Command
  command(name: string, about: string, example: string, parent?: Command): Command
  asking(name: string, about: string, example: string, parent?: Command): Command
}

/** How help shows commands: by one name, although a group may understand another one too. */
export const helpOfCommands = {
  subcommandTerm: (command: Command): string =>
    [command.name(), ...(command.options.length > 0 ? ['[options]'] : []), ...argumentsOf(command)].join(' '),
  commandUsage: (command: Command): string => {
    const names: string[] = []
    for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name())
    return `${names.join(' ')} ${command.usage()}`
  },
}

const argumentsOf = ({ registeredArguments }: Command): string[] =>
  registeredArguments.map(argument => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
