import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendError } from './send.ts'

type Route = (request: IncomingMessage, response: ServerResponse) => unknown
/** Handlers by path, then by method. */
export type Routes = Record<string, Record<string, Route>>

export const pathOf = (url: string): string => new URL(url, 'http://fake').pathname

/** Finds the handler of a request. An error names the paths or methods that exist. */
export const createRouter =
  (routes: Routes) =>
  async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const method = request.method ?? ''
    const pathname = pathOf(request.url ?? '/')
    const methods = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined
    if (methods === undefined) {
      const message = `there is no path ${pathname}; the paths are ${Object.keys(routes).join(', ')}`
      return sendError(response, { status: 404, message })
    }
    const route = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (route === undefined) {
      const allow = Object.keys(methods).join(', ')
      const message = `${pathname} does not take ${method}, but ${allow}`
      return sendError(response, { status: 405, message, headers: { allow } })
    }
    return route(request, response)
  }
