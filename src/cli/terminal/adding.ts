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

export type Adders = {
  group(name: string, about: string): Command
  command(name: string, about: string, example: string, parent?: Command): Command
}
