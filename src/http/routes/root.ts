// GET /: where things are, for people who try the address of the server first. A browser is led to the console.
import type { Static } from 'typebox'
import type { Root } from '../../contract/responses.ts'
import { version } from '../../platform/version.ts'
import type { Serving } from '../doors.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

export const rootRoutes = (app: App, { publicUrl, root }: Pick<Serving, 'publicUrl' | 'root'>): void => {
  // Without PUBLIC_URL the address is relative, so that it is right below the path of a proxy, too.
  const toConsole = publicUrl === undefined ? 'ui' : `${publicUrl.prefix}/ui`
  const at = (path: string): string => root + path
  const places: Static<typeof Root> = {
    name: 'reprise',
    version,
    console: at('/ui'),
    api: at('/v1'),
    docs: at('/docs'),
    openapi: at('/openapi.json'),
    events: at('/api/events'),
  }
  route(app, 'getRoot', {
    async handler({ headers }, reply) {
      void reply.header('vary', 'accept')
      if (/text\/html/i.test(headers.accept ?? '')) return reply.redirect(toConsole)
      return places
    },
  })
}
