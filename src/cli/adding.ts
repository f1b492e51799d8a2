// What the lists of commands have in common.
import type { Command } from 'commander'

/** Loads the code of a command only when the command runs. */
export const later =
  <Args extends unknown[]>(load: () => Promise<(...args: Args) => unknown>) =>
  async (...args: Args): Promise<void> => {
    await (await load())(...args)
  }

/**
 * Collects an option that may be given several times. An option that takes all words after it would take the arguments
 * of the command too.
 */
export const eachOf = (value: string, before: readonly string[] = []): string[] => [...before, value]

export type Adders = {
  group(name: string, about: string): Command
  command(name: string, about: string, example: string, parent?: Command): Command
}
