// Functions for the commands that ask a server about its resources.
import type { Reprise } from '../../../library/client/index.ts'
import { withoutControls } from '../terminal/printer.ts'
import { mustFindServer, type Where } from './connection.ts'

/** The options of a command that asks a server, and answers in JSON when it is asked to. */
export type Asking = Where & { json?: true }

/** The largest number of entries on a page of a list. */
export const perPage = 100

/** Prints a line for people. It may contain text of others, whose control sequences a terminal would carry out. */
export const print = (line: string): void => void process.stdout.write(`${withoutControls(line)}\n`)
export const printJson = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`)

/** Asks the server that the options name. Rejects as `Connection.ask` and `mustFindServer`. */
export const ask = async <T>(where: Where, use: (client: Reprise) => Promise<T>): Promise<T> =>
  mustFindServer(where).ask(use)

/**
 * Prints the entries of a list: a line of JSON for each, or a line for people. `none`: what people read on stderr when there is no entry.
 */
export const printAll = async <Entry>(
  entries: AsyncIterable<Entry>,
  { json }: Asking,
  lineOf: (entry: Entry) => string,
  none: string,
): Promise<void> => {
  let count = 0
  for await (const entry of entries) {
    if (json) printJson(entry)
    else print(lineOf(entry))
    count++
  }
  if (count === 0 && !json) process.stderr.write(`${none}\n`)
}

/** Seconds since 1970 as ISO 8601. */
export const timeOf = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')

/** The size of the pages for so many entries of a list, and for one more, which says whether others follow. */
export const pageOf = (limit: number): number => Math.min(limit + 1, perPage)

/** How a list is printed. `none`: what people read when there is no entry. `limit`: the largest number of entries. */
type Printing<Entry> = {
  lineOf: (entry: Entry) => string
  idOf: (entry: Entry) => string
  none: string
  limit: number
}

/** Prints the first entries of a list, as `printAll` does. People also read how the next ones are listed. */
export const printFirst = async <Entry>(
  list: AsyncIterable<Entry>,
  options: Asking,
  { lineOf, idOf, none, limit }: Printing<Entry>,
): Promise<void> => {
  let last = ''
  let hasMore = false
  async function* first() {
    let left = limit
    for await (const entry of list) {
      hasMore = left-- === 0
      if (hasMore) return
      last = idOf(entry)
      yield entry
    }
  }
  await printAll(first(), options, lineOf, none)
  if (hasMore && !options.json)
    process.stderr.write(`There are more: add --after ${last}, or a higher --limit.\n`)
}
