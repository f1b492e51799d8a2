// Reads from the address of the page which view it names, below /ui. The page of an export replaces this file.
export type Place = { path: string; query: URLSearchParams }

/**
 * The path of the server's root, with a slash at its end: `/`, or the path below which a proxy serves the console. The
 * scripts of the page are in `ui/assets/`, so the address of a script tells it.
 */
export const root = new URL('../../', import.meta.url).pathname

export const placeOf = ({ pathname, search }: Location): Place => ({
  path: pathname.slice(root.length).replace(/^ui\/?/, '/'),
  query: new URLSearchParams(search),
})

/** The address of a view. */
export const hrefOf = (path: string, query?: URLSearchParams): string => {
  const text = query?.toString() ?? ''
  return `${root}ui${path === '/' ? '' : path}${text === '' ? '' : `?${text}`}`
}

/** Whether a path is the address of a view. */
export const isView = (pathname: string): boolean =>
  pathname === `${root}ui` || pathname.startsWith(`${root}ui/`)
