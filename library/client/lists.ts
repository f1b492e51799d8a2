// Lists, which are read page by page while they are iterated.
import type { Link } from './link.ts'
import { type Sendable, sentBy } from './send.ts'

/** The entries of a list, in all its pages. A page is asked for when it is needed. */
export type List<T> = AsyncIterable<T> & {
  /** The pages as the server gives them. */
  pages(): AsyncIterable<T[]>
  /** All entries. */
  all(): Promise<T[]>
}

/** A page, and the query with which the next one is asked for; undefined: it is the last one. */
type Page<T> = { data: T[]; next: object | undefined }

/** `read` makes a page of an answer. */
const listOf = <T, Body>(
  link: Link,
  request: Sendable,
  read: (body: Body, headers: Headers) => Page<T>,
): List<T> => {
  async function* pages() {
    let query: object | undefined = request.query ?? {}
    while (query !== undefined) {
      const sent: { value: Body; headers: Headers } = await sentBy<Body>(link, { ...request, query })
      const { data, next } = read(sent.value, sent.headers)
      if (data.length > 0) yield data
      query = next && { ...query, ...next }
    }
  }
  async function* entries() {
    for await (const page of pages()) yield* page
  }
  return {
    [Symbol.asyncIterator]: entries,
    pages,
    async all() {
      const found: T[] = []
      for await (const page of pages()) found.push(...page)
      return found
    },
  }
}

/** A list in the form of all our own lists. */
export const ownList = <T>(
  link: Link,
  path: string,
  query: object | undefined,
  signal?: AbortSignal,
): List<T> =>
  listOf(link, { method: 'GET', path, query, signal }, (body: { data: T[]; next_cursor: string | null }) => ({
    data: body.data,
    next: body.next_cursor === null ? undefined : { cursor: body.next_cursor },
  }))

/** A list in a form of the interface: the cursor is the id of the last entry. `more`: whether a page follows. */
export const listAfter = <T, Body>(
  link: Link,
  request: Sendable,
  dataOf: (body: Body) => T[],
  idOf: (entry: T) => string,
  more: (body: Body, headers: Headers) => boolean,
): List<T> =>
  listOf(link, request, (body: Body, headers) => {
    const data = dataOf(body)
    const last = data.at(-1)
    return { data, next: last && more(body, headers) ? { starting_after: idOf(last) } : undefined }
  })
