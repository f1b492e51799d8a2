// Functions for the commands that ask the running server about its resources.
import { readConfig } from '../config.ts'
import { NotReached } from './exit.ts'
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

type List<Entry> = {
  path: string
  /** The field of the answer that contains the entries. */
  key: string
  /** The query parameter for the id of the last entry of the previous page. */
  cursor: string
  idOf: (entry: Entry) => string
  lineOf: (entry: Entry) => string
}
/** Prints every entry of a list, page by page. */
export const printAll = async <Entry>({ path, key, cursor, idOf, lineOf }: List<Entry>): Promise<void> => {
  for (let from = ''; ; ) {
    const page = await ask<Record<string, unknown>>('GET', `${path}?limit=${perPage}${from}`)
    const entries = page[key] as Entry[]
    for (const entry of entries) print(lineOf(entry))
    const last = entries.at(-1)
    if (page.has_more !== true || last === undefined) return
    from = `&${cursor}=${encodeURIComponent(idOf(last))}`
  }
}
