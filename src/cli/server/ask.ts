// Functions for the commands that ask the running server about its resources.
import { readConfig } from '../../config.ts'
import type { List } from '../../contract/wire/list.ts'
import { NotReached } from '../terminal/exit.ts'
import { askServer, urlOfServer } from './server.ts'

/** The largest number of entries on a page. */
const perPage = 100

export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** An id as a part of a path. */
export const at = (id: string): string => `/${encodeURIComponent(id)}`

/** Resolves to the JSON of the server's answer. Rejects as `askServer`, and with NotReached when no server runs. */
export const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const config = readConfig(process.env)
  const url = urlOfServer(config)
  if (url === undefined)
    throw new NotReached(`no server runs on ${config.dataDir}: start one with reprise serve`)
  const sent = body === undefined ? {} : { body }
  const answer = await askServer(config, url, method, `/v1${path}`, sent)
  return (await answer.json()) as T
}

/** The entries of a list, page by page. `read` asks for the page with this query. */
export async function* entriesOf<Entry>(
  read: (query: string) => Promise<List<Entry>>,
): AsyncGenerator<Entry> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: List<Entry> = await read(
      `?limit=${perPage}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    yield* page.data
    cursor = page.next_cursor
  }
}

/** Prints every entry of a list. */
export const printAll = async <Entry>(path: string, lineOf: (entry: Entry) => string): Promise<void> => {
  for await (const entry of entriesOf<Entry>(query => ask('GET', path + query))) print(lineOf(entry))
}
