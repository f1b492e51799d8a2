// The address of the page is the state of the view: a path, and a query with filters and positions.
import { signal } from '@preact/signals'
import { hrefOf, isView, type Place, placeOf } from './address.ts'

export { hrefOf }

const read = () => placeOf(location)

export const place = signal<Place>(read())
addEventListener('popstate', () => {
  place.value = read()
})

export const go = (href: string): void => {
  history.pushState(null, '', href)
  place.value = read()
  scrollTo(0, 0)
}

/** Changes the query of this view. Values that are undefined or empty are left out. */
export const setQuery = (
  changes: Record<string, string | string[] | undefined>,
  { push = false } = {},
): void => {
  const query = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    for (const one of [value].flat()) if (one !== undefined && one !== '') query.append(name, one)
  }
  const href = hrefOf(place.value.path, query)
  if (href === hrefOf(place.value.path, place.value.query)) return
  if (push) history.pushState(null, '', href)
  else history.replaceState(null, '', href)
  place.value = read()
}

/** Opens links between views without loading the page again. */
export const followLinks = (): void =>
  addEventListener('click', event => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return
    const link = (event.target as Element | null)?.closest('a')
    if (link == null || link.target !== '' || link.origin !== location.origin) return
    if (!isView(link.pathname)) return
    event.preventDefault()
    go(link.pathname + link.search)
  })
