// Finds the server that a command asks, and sends requests to it with the client of the package. A command names its server with
// --url and --token, or with REPRISE_URL and REPRISE_TOKEN. Without them it asks the server of the data folder, as its
// administrator.
import {
  type FollowOptions,
  type Options,
  Reprise,
  RepriseError,
  type Run,
} from '../../../library/client/index.ts'
import { adminTokenOf, type Config, readConfig } from '../../config.ts'
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer, NotReached } from '../terminal/exit.ts'
import { adminTokenSource, curlOf, lookForServer, publicUrlOfServer, urlOfServer } from './server.ts'

/** The options of every command that asks a server. */
export type Where = { url?: string; token?: string }

/** Milliseconds until an answer must have begun. A suspended server keeps its port open and never answers. */
const patienceMs = 30_000
/** Milliseconds for which a stream that broke is tried again. */
const streamPatienceMs = 60_000

/** A token. `ifRefused`: what to do when the server refuses it. `inShell`: an expression of the shell that reads it. */
type Bearer = { token: string; source: string; ifRefused: string; inShell: string }

/** `follow` tells with `onBroken` that its connection broke, once for each time. */
type Following = Pick<FollowOptions, 'after' | 'untilEnd' | 'signal'> & { onBroken: () => void }

export type Connection = {
  /** The address of the server. */
  url: string
  /** The address at which browsers reach the server. */
  publicUrl: string
  /**
   * Sends requests. Rejects with NotReached when there is no answer, or one that says that the server does not work; with NoAnswer when
   * what was requested does not exist; with NotNow when the caller has too much under way or a quota is used up; with CannotStart when
   * the server refuses the request for another reason.
   */
  ask: <T>(use: (client: Reprise) => Promise<T>) => Promise<T>
  /** As `ask`. What can be repeated without harm is tried again for up to a minute while the server is away. */
  askPatiently: <T>(use: (client: Reprise) => Promise<T>) => Promise<T>
  /**
   * The frames of a task from its first one, or after frame `after`, until it ends or waits; with `untilEnd` until it ends. A
   * connection that breaks is replaced by another one, for up to a minute, also when the server of the folder has another address then.
   * `use` reads them, and rejects as with `ask`.
   */
  follow: <T>(id: string, how: Following, use: (run: Run) => Promise<T>) => Promise<T>
  /** A request as a command line to paste. The shell reads the token from its file or variable. */
  curlOf: (path: string, body?: object) => string
}

const example = 'for example https://reprise.example.com'

/** The address that was given. It is not shown when it is wrong: somebody may have pasted a token. */
const addressIn = (given: string, name: string): string => {
  const wrong = (why: string) => new CannotStart(`${name} ${why}: give the address of a server, ${example}`)
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw wrong('does not begin with http:// or https://')
  if (url.username !== '' || url.password !== '') throw wrong('has a name or a password in it')
  if (url.search !== '' || url.hash !== '') throw wrong('has a ? or a # in it')
  // People copy the address of the API, or that of the console.
  return url.href.replace(/\/+$/, '').replace(/\/(v1|ui)$/, '')
}

const checked = (bearer: Bearer): Bearer => {
  const token = bearer.token.trim() // a file with a token ends with a line break
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CannotStart(`${bearer.source} is no token: give it as the server printed it, without spaces`)
  return { ...bearer, token }
}

/** The token of the option or of the variable. */
const givenToken = ({ token }: Where): Bearer | undefined => {
  const fromVariable = process.env.REPRISE_TOKEN || undefined
  const given = token ?? fromVariable
  if (given === undefined) return undefined
  const source = token === undefined ? 'REPRISE_TOKEN' : '--token'
  return checked({
    token: given,
    source: `the token of ${source}`,
    ifRefused: `give another one with ${token === undefined ? 'REPRISE_TOKEN or --token' : '--token'}, which ${called} token create makes where the server runs`,
    // Where nobody has set the variable, the shell says so instead of sending the request without a token.
    inShell:
      token === undefined ? '$REPRISE_TOKEN' : `\${REPRISE_TOKEN:?set this variable to the token of --token}`,
  })
}

const adminBearer = (config: Config): Bearer => {
  const own = 'set ADMIN_TOKEN to the token that the server was started with'
  const source = adminTokenSource(config)
  return {
    token: adminTokenOf(config),
    source: `the admin token from ${source.name}`,
    ifRefused:
      config.adminToken === undefined
        ? own
        : `${own}, or unset ADMIN_TOKEN if ${filesOf(config.dataDir).adminToken} contains this token`,
    inShell: source.inShell,
  }
}

/** Sends a request, and looks at what answers. */
const sendPatiently: typeof fetch = async (input, init) => {
  const { origin } = new URL(String(input))
  const silent = new AbortController()
  const patience = setTimeout(() => {
    silent.abort(
      new NotReached(
        `the server at ${origin} cannot be reached: it has not answered for ${patienceMs / 1000} s`,
      ),
    )
  }, patienceMs)
  const signals = [silent.signal, ...(init?.signal ? [init.signal] : [])]
  const answer = await fetch(input, {
    ...init,
    redirect: 'manual',
    signal: AbortSignal.any(signals),
  }).finally(() => clearTimeout(patience))
  const { status, headers } = answer
  if (status >= 300 && status < 400 && status !== 304) {
    const to = headers.get('location') ?? ''
    const there = URL.canParse(to, origin) ? new URL(to, origin).origin : 'another place'
    throw new CannotStart(`${origin} sends requests on to ${there}: give the address to which it sends them`)
  }
  // What stands between a client and a server answers 502 and the like in its own name.
  if (
    status < 500 &&
    (!headers.has('x-api-version') || /^text\/html\b/.test(headers.get('content-type') ?? ''))
  )
    throw new NotReached(`what answers at ${origin} is not the API of Reprise: check the address`)
  return answer
}

/** What sends requests, and what sends them when a connection may have broken. */
type Senders = { send: typeof fetch; sendAgain: typeof fetch }

/** The server of the folder may be started again at another address. */
const sendersToFolder = (config: Config, url: string): Senders => {
  let now = url
  const send: typeof fetch = (input, init) => sendPatiently(String(input).replace(url, now), init)
  const sendAgain: typeof fetch = async (input, init) => {
    const found = await lookForServer(config, init?.signal ?? undefined)
    if (found === undefined)
      throw new NotReached(`the server at ${now} has stopped: start it again with ${called} serve`)
    now = found
    return send(input, init)
  }
  return { send, sendAgain }
}
const sendersToAddress: Senders = { send: sendPatiently, sendAgain: sendPatiently }

/** Tells of each break once: when a request fails, and when the stream is opened again. */
const tellingBreaks = (send: typeof fetch, onBroken: () => void): typeof fetch => {
  let isBegun = false
  let isTold = false
  const tell = () => {
    if (!isTold) onBroken()
    isTold = true
  }
  return async (input, init) => {
    const isStream = new Headers(init?.headers).get('accept') === 'text/event-stream'
    if (isStream && isBegun) tell()
    isBegun ||= isStream
    try {
      const answer = await send(input, init)
      isTold = false
      return answer
    } catch (error) {
      tell()
      throw error
    }
  }
}

/** Why there was no answer. Some errors of connections have no message, but a code. */
const reasonOf = (error: unknown): string => {
  const { message, code, cause } = error as { message?: string; code?: string; cause?: unknown }
  return (cause === undefined ? undefined : reasonOf(cause)) || message || code || 'no reason is known'
}

/** A problem without the part of the request where it is: who has typed a command knows no body and no query. */
const inWords = ({ loc: [, ...names], msg }: { loc: (string | number)[]; msg: string }): string =>
  names.length === 0 ? msg : `${names.join('.')}: ${msg}`

type Address = Pick<Connection, 'url' | 'publicUrl'> & Senders & { bearer: Bearer }

const toldBy = ({ url, bearer }: Address, error: unknown): unknown => {
  if (!(error instanceof RepriseError)) return error
  const { status, message, hint, problems, docs, retryAfter, cause } = error
  if (cause instanceof NotReached || cause instanceof CannotStart) return cause
  if (status === 0)
    return new NotReached(
      `the server at ${url} cannot be reached: ${cause === undefined ? message : reasonOf(cause)}`,
    )
  if (status === 401)
    return new CannotStart(`the server at ${url} refuses ${bearer.source}: ${bearer.ifRefused}`)
  if (docs?.endsWith('#error-RouteNotFound'))
    return new CannotStart(
      `the server at ${url} does not know this request: check the path of the address, that no id is empty, and that the server is not older than this command`,
    )
  const said = problems.length === 0 ? message : problems.map(inWords).join('; ')
  // What is not there is found with another command, and not with the request that the hint names.
  if (status === 404) return new NoAnswer(said)
  const words = hint === undefined ? said : `${said}. ${hint}`
  if (status === 429) {
    const wait = retryAfter === undefined ? 'later' : `in ${Math.ceil(retryAfter / 1000)} s`
    return new NotNow(`the server at ${url} takes no more now; try again ${wait}: ${words}`)
  }
  return status >= 500
    ? new NotReached(`the server at ${url} answered ${status}: ${words}`)
    : new CannotStart(words)
}

const warn = (warning: string): void => void process.stderr.write(`reprise: ${warning}\n`)

const connectionTo = (there: Address): Connection => {
  const { url, publicUrl, bearer, send, sendAgain } = there
  const clientOf = (how: Options) => new Reprise({ baseUrl: url, token: bearer.token, ...how })
  const client = clientOf({ patience: 0, fetch: send, onWarning: warn })
  const patient = clientOf({ patience: streamPatienceMs, fetch: sendAgain, onWarning: warn })
  const telling = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      throw toldBy(there, error)
    }
  }
  return {
    url,
    publicUrl,
    ask: use => telling(use(client)),
    askPatiently: use => telling(use(patient)),
    follow: (id, { onBroken, ...how }, use) => {
      const reader = clientOf({
        patience: streamPatienceMs,
        fetch: tellingBreaks(sendAgain, onBroken),
        onWarning: () => {}, // `onBroken` tells what there is to tell
      })
      return telling(use(reader.tasks.follow(id, how)))
    },
    curlOf: (path, body) => curlOf(url, bearer.inShell, path, body),
  }
}

/** The server of a folder, which is at this address now. The default is the token of its administrator. */
export const connectToFolder = (config: Config, url: string, bearer = adminBearer(config)): Connection =>
  connectionTo({ url, publicUrl: publicUrlOfServer(config) ?? url, bearer, ...sendersToFolder(config, url) })

/** A server in this process. */
export const connectToOwn = (config: Config, url: string): Connection =>
  connectionTo({ url, publicUrl: url, bearer: adminBearer(config), ...sendersToAddress })

/** A server whose address somebody has given. The admin token of a folder is not for it. */
const connectToAddress = (url: string, where: Where): Connection => {
  const bearer = givenToken(where)
  if (bearer === undefined)
    throw new CannotStart(
      `a token for the server at ${url} is missing: give --token or set REPRISE_TOKEN. ${called} token create makes one, where the server runs`,
    )
  return connectionTo({ url, publicUrl: url, bearer, ...sendersToAddress })
}

/** The address that the option or the variable names, as it was given. */
export const givenAddress = ({ url }: Where): string | undefined =>
  url ?? (process.env.REPRISE_URL || undefined)

/** The server that the options or the variables name, otherwise that of the folder; undefined: none of these. */
export const findServer = (where: Where): Connection | undefined => {
  const given = givenAddress(where)
  if (given !== undefined)
    return connectToAddress(addressIn(given, where.url === undefined ? 'REPRISE_URL' : '--url'), where)
  const config = readConfig(process.env)
  const url = urlOfServer(config)
  return url === undefined ? undefined : connectToFolder(config, url, givenToken(where))
}

/** As `findServer`; throws NotReached when there is none. */
export const mustFindServer = (where: Where): Connection => {
  const found = findServer(where)
  if (found !== undefined) return found
  const { dataDir } = readConfig(process.env)
  throw new NotReached(
    `no server runs on ${dataDir}: start one with ${called} serve, or name one with --url or REPRISE_URL`,
  )
}
