// Where the server of a data folder is, and its requests as command lines.
import { adminTokenOf, type Config } from '../../config.ts'
import { filesOf, type RunningServer, readServerFile } from '../../platform/files/data-folder.ts'
import { quoted, shellWord } from '../../platform/shell-word.ts'
import { isLocked } from '../../platform/sqlite/lock-file.ts'

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

/**
 * Like `urlOfServer`, for repeated calls. The check of the folder's lock takes the lock for a moment, and a starting
 * server needs this lock. So the lock is checked only when something listens at the address.
 */
export const lookForServer = async (config: Config, signal?: AbortSignal): Promise<string | undefined> => {
  const url = readServerFile(filesOf(config.dataDir).server)?.url
  if (url === undefined) return undefined
  const listens = await fetch(`${url}/healthz`, signal === undefined ? {} : { signal }).then(
    () => true,
    () => false,
  )
  return listens ? urlOfServer(config) : undefined
}

/** Where the admin token of a folder comes from. `inShell`: an expression that reads it, for use between double quotes. */
export const adminTokenSource = ({ adminToken, dataDir }: Config): { name: string; inShell: string } => {
  const file = `${dataDir}/admin-token`
  return adminToken === undefined
    ? { name: file, inShell: `$(cat ${quoted(file)})` }
    : { name: 'ADMIN_TOKEN', inShell: '$ADMIN_TOKEN' }
}

/** The command line of a first request to try. It contains the token itself only if `shown` is true. */
export const firstCurlOf = (config: Config, url: string, shown: boolean): string => {
  const bearer = shown ? quoted(`Authorization: Bearer ${adminTokenOf(config)}`) : undefined
  const header = bearer ?? `"Authorization: Bearer ${adminTokenSource(config).inShell}"`
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
  return `export PORT=${new URL(url).port} DATA_DIR=${folder} URL=${url} TOKEN="${adminTokenSource(config).inShell}"`
}

/** A request to a server as a command line to paste. `token`: an expression of the shell that reads the token. */
export const curlOf = (url: string, token: string, path: string, body?: object): string => {
  const sent =
    body === undefined ? '' : ` -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))}`
  return `curl -X POST ${url}${path} -H "Authorization: Bearer ${token}"${sent}`
}
