// The routes of the console: its page below /ui, and the files that the page loads. The build makes these files
// (build.mjs), and their names contain digests of their contents. The page names its files by relative addresses, because
// a proxy may serve it below a path that this server does not know (docs/decisions/146-below-a-path-of-a-proxy.md).
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../contract/refusals.ts'
import { built } from '../../platform/built.ts'
import type { App } from '../request/request.ts'
import { route } from '../route.ts'

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Headers with which the page loads scripts and styles from this server only, sends to this server only, and is shown
 * in no frame of another page. Scripts that are written into the HTML of the page do not run. An image on another
 * server is not loaded, since that server would learn who looks at the task; the page shows a link instead.
 */
const safely = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** A file whose name contains its digest never changes. The page itself can change, so browsers ask for it again. */
const forEver = 'public, max-age=31536000, immutable'

/** The way from the page at `url` to the root of the server, as the beginning of a relative address. */
const wayToRoot = (url: string): string => {
  const [path = ''] = url.split('?', 1)
  return '../'.repeat(path.split('/').length - 2)
}

type Zipped = { plain: Buffer; small: Buffer }
const zip = promisify(gzip)

/** Reads each file of the console once, at the first request for it. A file that could not be read is read again. */
const createFiles = () => {
  let names: Set<string> | undefined
  const known = new Map<string, Promise<Zipped>>()
  const read = async (name: string): Promise<Zipped> => {
    const plain = readFileSync(built(`console/${name}`))
    return { plain, small: await zip(plain, { level: 9 }) }
  }
  return (name: string): Promise<Zipped> => {
    names ??= new Set(readdirSync(built('console/'), { recursive: true, encoding: 'utf8' }))
    if (!names.has(name)) throw new Refusal('RouteNotFound')
    const found = known.get(name) ?? read(name)
    known.set(name, found)
    found.catch(() => known.delete(name))
    return found
  }
}

export const consoleRoutes = (app: App): void => {
  const fileOf = createFiles()
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string) => {
    const { plain, small } = await fileOf(name)
    const isSmall = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    void reply.headers({ ...safely, 'cache-control': forEver, vary: 'accept-encoding' })
    void reply.type(types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream')
    if (isSmall) void reply.header('content-encoding', 'gzip')
    return reply.send(isSmall ? small : plain)
  }
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { plain } = await fileOf('index.html')
    return reply
      .headers({ ...safely, 'cache-control': 'no-cache' })
      .type(types.html as string)
      .send(plain.toString().replaceAll('{root}', wayToRoot(request.url)))
  }

  route(app, 'getConsole', { handler: sendPage })
  const open = { access: 'open' } as const
  app.route({ method: 'GET', url: '/ui/', config: open, handler: sendPage })
  // Each view of the console has a path of its own. All these paths give the same page, which reads the path.
  app.route({ method: 'GET', url: '/ui/*', config: open, handler: sendPage })
  app.route<{ Params: { name: string } }>({
    method: 'GET',
    url: '/ui/assets/:name',
    config: open,
    handler: (request, reply) => send(request, reply, `assets/${request.params.name}`),
  })
}
