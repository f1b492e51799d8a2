// What all requests of a client share: the address, the token, and how one request is sent.
import { ConnectionFailed, type RepriseError } from './errors.ts'
import { refusedBy } from './refused.ts'

export type Options = {
  /** The address of the server, such as `https://reprise.example.com`, with or without `/v1`. Default: REPRISE_URL. */
  baseUrl?: string | undefined
  /** The access token. Default: REPRISE_TOKEN. */
  token?: string | undefined
  /**
   * Milliseconds for which a request or a stream is tried again while the server cannot be reached or is too busy, counted
   * from the first failure. The default is 120,000.
   */
  patience?: number | undefined
  /** True: the server refuses requests with fields that it does not know, in place of naming them in a warning. */
  strict?: boolean | undefined
  /** Gets each warning once. The default is `console.warn`. */
  onWarning?: ((warning: string) => void) | undefined
  /** What sends requests. The default is the `fetch` of the platform. */
  fetch?: typeof fetch | undefined
}

export type Query = Record<string, string | number | boolean | readonly string[] | undefined>

export type Request = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  query?: object | undefined
  body?: unknown
  headers?: Record<string, string> | undefined
  signal?: AbortSignal | undefined
}

export type Link = {
  root: string
  patience: number
  /** Passes a warning on, unless it was given before. */
  warn: (warning: string) => void
  /**
   * Sends a request once. `silence`: milliseconds without a byte after which the connection counts as broken. Throws a
   * RepriseError, or the reason of the signal when it aborts.
   */
  open: (request: Request, silence: number) => Promise<Opened>
}

/** An answer whose body has not been read yet. */
export type Opened = {
  status: number
  headers: Headers
  pieces: AsyncGenerator<string, void>
  text: () => Promise<string>
  /** Closes the connection of an answer that nobody reads. */
  close: () => void
}

/** A path with its parameters, such as pathOf`/v1/tasks/${id}`. */
export const pathOf = (parts: TemplateStringsArray, ...values: string[]): string =>
  String.raw({ raw: parts }, ...values.map(encodeURIComponent))

const queryOf = (query: object): string => {
  const pairs = Object.entries(query as Query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [name, String(each)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** The variables of the process; there are none in a browser. */
const variables = (): Record<string, string | undefined> =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {}

const rootOf = (url: string | undefined): string => {
  if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url))
    throw new TypeError(
      `Reprise needs the address of the server: set REPRISE_URL, or give { baseUrl: 'https://reprise.example.com' }${url === undefined ? '' : `, not ${url}`}`,
    )
  return url
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '')
    .replace(/\/v1$/, '')
}

/** Checks the token here, because the platform would quote it in the message of its error. */
const tokenOf = (given: string | undefined): string | undefined => {
  const token = given?.trim() // a file with a token ends with a line break
  if (token !== undefined && !/^[\t\x20-\x7e\x80-\xff]*$/.test(token))
    throw new TypeError(
      'the token has a line break or another character that no header may have: set REPRISE_TOKEN, or give { token }, as the server printed it',
    )
  return token
}

const namesIn = (header: string | null): string[] =>
  header === null || header === '' ? [] : header.split(', ').map(decodeURIComponent)

export const linkOf = (options: Options): Link => {
  const root = rootOf(options.baseUrl ?? variables().REPRISE_URL)
  const token = tokenOf(options.token ?? variables().REPRISE_TOKEN)
  const send = options.fetch ?? globalThis.fetch
  const tell = options.onWarning ?? (warning => console.warn(`reprise: ${warning}`))
  const told = new Set<string>()
  const warn = (warning: string) => {
    if (told.has(warning)) return
    told.add(warning)
    tell(warning)
  }
  const warnOfIgnored = (headers: Headers) => {
    const meant = new Map(
      namesIn(headers.get('x-did-you-mean')).map(pair => pair.split('=', 2) as [string, string]),
    )
    const say = (what: string, names: string[]) => {
      for (const name of names) {
        const hint = meant.has(name) ? `; did you mean ${meant.get(name)}?` : ''
        warn(`the server does not know the ${what} ${name}, and ignores it${hint}`)
      }
    }
    say('field', namesIn(headers.get('x-ignored-fields')))
    say('parameter', namesIn(headers.get('x-ignored-query')))
  }

  const open = async (request: Request, silence: number): Promise<Opened> => {
    const { method, path, query = {}, body, signal } = request
    const url = `${root}${path}${queryOf(query)}`
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const headers = new Headers({
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.strict ? { prefer: 'handling=strict' } : {}),
      ...request.headers,
    })
    const leave = new AbortController()
    const aborted = () => leave.abort()
    let timer: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(timer)
      timer = setTimeout(() => leave.abort(), silence)
    }
    const close = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
      leave.abort()
    }
    const failed = (cause: unknown): unknown => {
      close()
      if (signal?.aborted) return signal.reason
      const why =
        (cause as { cause?: Error } | undefined)?.cause?.message ?? (cause as Error | undefined)?.message
      return new ConnectionFailed(`the connection to ${root} failed: ${why ?? 'no reason is known'}`, {
        hint: 'Check the address, and that the server runs.',
        cause,
      })
    }
    signal?.throwIfAborted()
    signal?.addEventListener('abort', aborted)
    heard()
    let opened: Opened
    try {
      const answer = await send(url, { method, headers, ...sent, signal: leave.signal })
      heard()
      async function* read() {
        const reader = answer.body?.getReader()
        const decoder = new TextDecoder()
        try {
          for (;;) {
            const piece = await reader?.read()
            if (piece === undefined || piece.done) return
            heard()
            yield decoder.decode(piece.value, { stream: true })
          }
        } catch (error) {
          throw failed(error)
        } finally {
          close() // the consumer may have stopped reading
        }
      }
      const pieces = read()
      const text = async () => {
        let all = ''
        for await (const piece of pieces) all += piece
        return all
      }
      if (answer.status >= 400) throw refusedBy(root, answer, await text())
      opened = { status: answer.status, headers: answer.headers, pieces, text, close }
    } catch (error) {
      throw isOurs(error) ? error : failed(error)
    }
    try {
      warnOfIgnored(opened.headers)
    } catch (error) {
      close()
      throw error
    }
    return opened
  }
  return { root, patience: options.patience ?? 120_000, warn, open }
}

const isOurs = (error: unknown): error is RepriseError =>
  typeof (error as RepriseError | undefined)?.status === 'number'
