// Reads the lists of our own, which all have one form, page by page.
import type { List } from '../../src/contract/wire/list.ts'
import { type Api, queryOf } from './api.ts'
import type { Page } from './read-pages.ts'

type Query = Parameters<typeof queryOf>[0]

/** One page: the first one, or the one that `cursor` names. Rejects with ApiError. */
export const readPage = <T>(
  api: Pick<Api, 'send'>,
  path: string,
  query: Query,
  signal?: AbortSignal,
): Promise<List<T>> => api.send('GET', path + queryOf(query), undefined, signal)

/**
 * Pages, until there are as many entries as are wanted, and the last page as it was answered. `More`: what the list says
 * about all its entries. Rejects with ApiError.
 */
export const readList = async <T, More = object>(
  api: Pick<Api, 'send'>,
  path: string,
  query: Query,
  { wanted = Number.POSITIVE_INFINITY, signal }: { wanted?: number; signal?: AbortSignal } = {},
): Promise<Page<T> & { page: List<T> & More }> => {
  const found: T[] = []
  for (let cursor: string | undefined; ; ) {
    const page = (await readPage<T>(api, path, { ...query, cursor }, signal)) as List<T> & More
    found.push(...page.data)
    cursor = page.next_cursor ?? undefined
    if (cursor === undefined || found.length >= wanted) return { found, more: page.has_more, page }
  }
}
