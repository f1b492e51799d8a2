// The documents of the interface and the page that shows them. Made at the first request, so that a start pays nothing.
import { readFileSync } from 'node:fs'
import type { FastifyReply } from 'fastify'
import type { App } from './parts.ts'

const json = 'application/json; charset=utf-8'
const html = 'text/html; charset=utf-8'

/** Beside the sources, and beside what is bundled. */
const fileOf = (name: string): string => readFileSync(new URL(`./docs-page/${name}`, import.meta.url), 'utf8')

/** The page loads from this server alone, sends to it alone, and nobody puts it into a frame. */
const safely = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
}

const documents: Record<string, { type: string; make: () => Promise<string> }> = {
  '/openapi.json': {
    type: json,
    make: async () => JSON.stringify((await import('../documents/openapi.ts')).openApi()),
  },
  '/asyncapi.json': {
    type: json,
    make: async () => JSON.stringify((await import('../documents/asyncapi.ts')).asyncApi()),
  },
  '/docs': { type: html, make: async () => (await import('../documents/page.ts')).page() },
  '/docs/page.css': { type: 'text/css; charset=utf-8', make: async () => fileOf('page.css') },
  '/docs/page.js': { type: 'text/javascript; charset=utf-8', make: async () => fileOf('page.js') },
  '/docs/icon.svg': { type: 'image/svg+xml', make: async () => fileOf('icon.svg') },
}

export const docsRoutes = (app: App): void => {
  for (const [url, { type, make }] of Object.entries(documents)) {
    let made: Promise<string> | undefined
    app.route({
      method: 'GET',
      url,
      config: { access: 'open' },
      handler: async (_request, reply: FastifyReply) => {
        made ??= make()
        return reply
          .headers(safely)
          .type(type)
          .send(await made)
      },
    })
  }
}
