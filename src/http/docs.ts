// The routes of the documents that describe the interface, and of the page that shows them. The server makes each
// document at the first request for it, so that the start of the server does not take longer.
import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import { version } from '../platform/version.ts'
import type { Serving } from './doors.ts'
import type { App } from './request/request.ts'
import { route } from './route.ts'

const json = 'application/json; charset=utf-8'
const html = 'text/html; charset=utf-8'

/** Reads a file of the folder `docs-page`, which is next to the sources and next to the bundle. */
const fileOf = (name: string): string => readFileSync(new URL(`./docs-page/${name}`, import.meta.url), 'utf8')

/**
 * Headers with which the page loads only from this server and sends only to this server, and with which no other page
 * can show the page in a frame.
 */
const safely = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
}

type Made = { type: string; make: () => Promise<string> }

/** The files that the page loads. They are not part of the interface. */
const pageFiles: Record<string, Made> = {
  '/docs/page.css': { type: 'text/css; charset=utf-8', make: async () => fileOf('page.css') },
  '/docs/page.js': { type: 'text/javascript; charset=utf-8', make: async () => fileOf('page.js') },
  '/docs/icon.svg': { type: 'image/svg+xml', make: async () => fileOf('icon.svg') },
}

/** A handler that answers with a text. The text is made at the first request, and again if its file could not be read. */
const sending = ({ type, make }: Made) => {
  let made: Promise<string> | undefined
  return async (_request: unknown, reply: FastifyReply) => {
    made ??= make().catch(error => {
      made = undefined
      throw error
    })
    return reply
      .headers(safely)
      .type(type)
      .send(await made)
  }
}

export const docsRoutes = (app: App, { publicUrl }: Pick<Serving, 'publicUrl'>): void => {
  const openApi = async () =>
    JSON.stringify((await import('../documents/openapi.ts')).openApi(publicUrl?.href))
  const asyncApi = async () =>
    JSON.stringify((await import('../documents/asyncapi.ts')).asyncApi(publicUrl?.href))
  const page = async () => (await import('../documents/page.ts')).page(version)
  route(app, 'getOpenApi', { handler: sending({ type: json, make: openApi }) })
  route(app, 'getAsyncApi', { handler: sending({ type: json, make: asyncApi }) })
  route(app, 'getDocs', { handler: sending({ type: html, make: page }) })
  for (const [url, file] of Object.entries(pageFiles))
    app.route({ method: 'GET', url, config: { access: 'open' }, handler: sending(file) })
}
