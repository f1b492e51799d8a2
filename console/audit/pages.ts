// Reads the streams of the log, or the events of one stream, in pages. The next page is read when a person asks for more.
import { batch, computed, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { List } from '../../src/contract/wire/list.ts'
import { queryOf } from '../api/api.ts'
import { ApiError, isRefusal } from '../api/api-error.ts'
import { readPage } from '../api/listed.ts'
import { whenThere } from '../api/reach.ts'
import { api } from '../api/session.ts'

/** After a failure that may pass, milliseconds until the next try. */
const retryMs = 2000

export const createPages = <T>(
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<List<T>>,
) => {
  const rows = signal<readonly T[]>([])
  const hasMore = signal(false)
  const isLoaded = signal(false)
  const isReading = signal(false)
  const error = signal<ApiError | undefined>(undefined)
  const closed = new AbortController()
  let cursor: string | undefined
  const more = async () => {
    if (isReading.value) return
    isReading.value = true
    try {
      const { data, has_more, next_cursor } = await read(cursor, closed.signal)
      cursor = next_cursor ?? undefined
      batch(() => {
        rows.value = [...rows.value, ...data]
        hasMore.value = has_more
        isLoaded.value = true
        error.value = undefined
      })
    } catch (failure) {
      if (closed.signal.aborted) return
      const known = failure instanceof ApiError ? failure : new ApiError(500, String(failure))
      error.value = known
      if (!isRefusal(known))
        setTimeout(async () => {
          await whenThere()
          if (!closed.signal.aborted && error.value === known) void more()
        }, retryMs)
    } finally {
      isReading.value = false
    }
  }
  void more()
  const again = () => void more()
  return {
    rows,
    /** The rows; undefined until the first page has been read. */
    value: computed(() => (isLoaded.value ? rows.value : undefined)),
    hasMore,
    isLoaded,
    isReading,
    error,
    more: again,
    /** After a failure: the page that could not be read. */
    again,
    close: () => closed.abort(),
  }
}
export type Pages<T> = ReturnType<typeof createPages<T>>

/** The list at a path below /v1, as this query chooses its entries. */
export const usePages = <T>(path: string, query: Parameters<typeof queryOf>[0]): Pages<T> => {
  const pages = useMemo(
    () => createPages<T>((cursor, signal) => readPage(api, path, { ...query, cursor }, signal)),
    [path + queryOf(query)],
  )
  useEffect(() => pages.close, [pages])
  return pages
}
