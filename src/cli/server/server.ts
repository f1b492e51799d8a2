// Finds the server of a data folder, and sends requests to it as its administrator.
import { adminTokenOf, type Config } from '../../config.ts'
import { CannotStart } from '../../contract/cannot-start.ts'
import { filesOf, type RunningServer, readServerFile } from '../../platform/files/data-folder.ts'
import { quoted, shellWord } from '../../platform/shell-word.ts'
import { isLocked } from '../../platform/sqlite/lock-file.ts'
import { NoAnswer, NotReached } from '../terminal/exit.ts'

/**
 * The server that holds the folder; undefined when nobody has locked the folder. The file of a killed server still
 * names its port. Another program may listen there now, and it must not receive the admin token.
 */
const serverOf = (config: Config): RunningServer | undefined => {
  const files = filesOf(config.dataDir)
  const server = readServerFile(files.server)
  return server === undefined || !isLocked(files.lock) ? undefined : server
}

/** The address at which the server of the folder listens; undefined when there is none. */
export const urlOfServer = (config: Config): string | undefined => serverOf(config)?.url

/** The address at which clients reach the server of the folder: its PUBLIC_URL or, without it, where it listens. */
export const publicUrlOfServer = (config: Config): string | undefined => {
  const server = serverOf(config)
  return server?.public_url ?? server?.url
}

/** Milliseconds until an answer must have begun. A stream begins at once, a blocking answer within ten seconds. */
const patienceMs = 30_000

const tokenSource = (config: Config): string =>
  config.adminToken === undefined ? `${config.dataDir}/admin-token` : 'ADMIN_TOKEN'

/** What the operator can do when the server has refused the token. */
const otherSource = (config: Config): string => {
  const own = 'set ADMIN_TOKEN to the token that the server was started with'
  return config.adminToken === undefined
    ? own
    : `${own}, or unset ADMIN_TOKEN if ${filesOf(config.dataDir).adminToken} contains this token`
}

type Refused = { message?: string; data?: { hint?: string } }
type ErrorBody = Refused & { error?: Refused; detail?: { loc: unknown[]; msg: string }[] }

/** What is so, and what to do about it, if the answer says that. */
const wordsOf = async (response: Response): Promise<{ message: string; hint?: string | undefined }> => {
  const text = await response.text()
  try {
    const { error, detail, ...bare } = JSON.parse(text) as ErrorBody
    const { message, data } = error ?? bare
    if (message !== undefined) return { message, hint: data?.hint }
    return { message: detail?.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ') ?? text }
  } catch {
    return { message: text }
  }
}

/**
 * Resolves to a successful answer of the server. Rejects with NotReached when the server does not answer or answers
 * with a status from 500 on, with NoAnswer when what was requested does not exist, and with CannotStart when the server
 * refuses the request.
 */
export const askServer = async (
  config: Config,
  url: string,
  method: string,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> } = {},
): Promise<Response> => {
  // A suspended server keeps its port open and never answers.
  const silent = new AbortController()
  const patience = setTimeout(() => silent.abort(), patienceMs)
  const response = await fetch(`${url}${path}`, {
    method,
    signal: silent.signal,
    headers: {
      authorization: `Bearer ${adminTokenOf(config)}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
    .catch((error: Error & { cause?: Error }) => {
      const why = silent.signal.aborted
        ? `it has not answered for ${patienceMs / 1000} s`
        : error.cause?.message || error.message
      throw new NotReached(`the server at ${url} cannot be reached: ${why}`)
    })
    .finally(() => clearTimeout(patience))
  if (response.ok) return response
  if (response.status === 401)
    throw new CannotStart(
      `the server at ${url} refuses the admin token from ${tokenSource(config)}: ${otherSource(config)}`,
    )
  const { message, hint } = await wordsOf(response)
  // What is not there is found with another command, and not with the request that the hint names.
  if (response.status === 404) throw new NoAnswer(message)
  const words = hint === undefined ? message : `${message}. ${hint}`
  if (response.status >= 500)
    throw new NotReached(`the server at ${url} answered ${response.status}: ${words}`)
  throw new CannotStart(words)
}

/**
 * Like `urlOfServer`, for repeated calls. The check of the folder's lock takes the lock for a moment, and a starting
 * server needs this lock. So the lock is checked only when something listens at the address.
 */
export const lookForServer = async (config: Config): Promise<string | undefined> => {
  const url = readServerFile(filesOf(config.dataDir).server)?.url
  if (url === undefined) return undefined
  const listens = await fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  )
  return listens ? urlOfServer(config) : undefined
}

/** A shell expression that reads the admin token, for use between double quotes. */
const tokenInShell = (config: Config): string =>
  config.adminToken === undefined ? `$(cat ${quoted(tokenSource(config))})` : `$${tokenSource(config)}`

/** The command line of a first request to try. It contains the token itself only if `shown` is true. */
export const firstCurlOf = (config: Config, url: string, shown: boolean): string => {
  const bearer = shown ? quoted(`Authorization: Bearer ${adminTokenOf(config)}`) : undefined
  const header = bearer ?? `"Authorization: Bearer ${tokenInShell(config)}"`
  return (
    `curl -N ${url}/v1/tasks -H ${header} -H 'Content-Type: application/json' ` +
    `-d '{"user_message_content":"Hello","stream":true}'`
  )
}

/**
 * The variables with which the requests of the documents, and commands of reprise, reach this server from another terminal, as a
 * command line to paste.
 */
export const exportOf = (config: Config, url: string): string => {
  const folder = shellWord(config.dataDir)
  return `export PORT=${new URL(url).port} DATA_DIR=${folder} URL=${url} TOKEN="${tokenInShell(config)}"`
}

/** A request to the server as a command line to paste. The shell reads the token from its file or variable. */
export const curlOf = (config: Config, url: string, path: string, body?: object): string => {
  const token = tokenInShell(config)
  const sent =
    body === undefined ? '' : ` -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`
  return `curl -X POST ${url}${path} -H "Authorization: Bearer ${token}"${sent}`
}
