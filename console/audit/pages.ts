// Reads the streams of the log, or the events of one stream, in pages. The next page is read when a person asks for more.
import { batch, computed, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { ApiError, isRefusal } from '../api/api-error.ts'
import { whenThere } from '../api/reach.ts'
import type { Page } from '../api/read-pages.ts'

/** After a failure that may pass, milliseconds until the next try. */
const retryMs = 2000

export const createPages = <T>(read: (last: T | undefined, signal: AbortSignal) => Promise<Page<T>>) => {
  const rows = signal<readonly T[]>([])
  const hasMore = signal(false)
  const isLoaded = signal(false)
  const isReading = signal(false)
  const error = signal<ApiError | undefined>(undefined)
  const closed = new AbortController()
  const more = async () => {
    if (isReading.value) return
    isReading.value = true
    try {
      const { found, more } = await read(rows.value.at(-1), closed.signal)
      batch(() => {
        rows.value = [...rows.value, ...found]
        hasMore.value = more
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

export const usePages = <T>(
  key: string,
  read: (last: T | undefined, signal: AbortSignal) => Promise<Page<T>>,
): Pages<T> => {
  const pages = useMemo(() => createPages(read), [key])
  useEffect(() => pages.close, [pages])
  return pages
}
