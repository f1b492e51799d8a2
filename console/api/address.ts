// Reads from the address of the page which view it names, below /ui. The page of an export replaces this file.
export type Place = { path: string; query: URLSearchParams }

export const placeOf = ({ pathname, search }: Location): Place => ({
  path: pathname.replace(/^\/ui\/?/, '/'),
  query: new URLSearchParams(search),
})

/** The address of a view. */
export const hrefOf = (path: string, query?: URLSearchParams): string => {
  const text = query?.toString() ?? ''
  return `/ui${path === '/' ? '' : path}${text === '' ? '' : `?${text}`}`
}
