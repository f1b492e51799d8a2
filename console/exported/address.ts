// Stands in for console/api/address.ts in the page of an export, which has no server behind its address: the fragment
// holds what is shown.
import type { Place } from '../api/address.ts'
import { viewAt } from './places.ts'

export const placeOf = ({ hash }: Location): Place => {
  const [path = '', query = ''] = hash.slice(1).split('?')
  return { path: path === '' ? '/' : path, query: new URLSearchParams(query) }
}

/** A page without a server sends no requests. */
export const root = '/'

export const isView = (): boolean => false

/** The address of a view; undefined when the page does not have it, so that a link to it is only a text. */
export const hrefOf = (path: string, query?: URLSearchParams): string | undefined => {
  const text = query?.toString() ?? ''
  const isFilter = query?.has('session') === true // the list of a page has no filters
  if (viewAt(path) === undefined || isFilter) return undefined
  return `#${path}${text === '' ? '' : `?${text}`}`
}
