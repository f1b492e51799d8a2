// Names the files of a data folder, and checks that nothing else stands in their places.
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'
import { nowhere, readPlainFile, whatStandsAt } from './plain-file.ts'

export const filesOf = (dataDir: string) => ({
  log: path.join(dataDir, 'log.db'),
  readModels: path.join(dataDir, 'read.db'),
  secrets: path.join(dataDir, 'secrets.db'),
  lock: path.join(dataDir, 'lock.db'),
  server: path.join(dataDir, 'server.json'),
  adminToken: path.join(dataDir, 'admin-token'),
  sessions: path.join(dataDir, 'environments'),
  children: path.join(dataDir, 'children'),
  telemetry: path.join(dataDir, 'otel.json'),
  nats: path.join(dataDir, 'nats.json'),
  workers: path.join(dataDir, 'workers.json'),
  rollouts: path.join(dataDir, 'rollouts'),
  logs: path.join(dataDir, 'logs'),
  backups: path.join(dataDir, 'backups'),
  exports: path.join(dataDir, 'exports'),
  leftBehind: path.join(dataDir, 'left-behind'),
  auditKey: path.join(dataDir, 'audit-key'),
  checkpoints: path.join(dataDir, 'checkpoints'),
  tiles: path.join(dataDir, 'tiles'),
  streamKeys: path.join(dataDir, 'stream-keys.db'),
  cluster: path.join(dataDir, 'cluster.json'),
  nodes: path.join(dataDir, 'nodes.json'),
})

/** The folders in a data folder; everything else that the server makes there is a file. */
export const foldersIn = (dataDir: string): string[] => {
  const { sessions, children, rollouts, logs, backups, exports, leftBehind } = filesOf(dataDir)
  return [sessions, children, rollouts, logs, backups, exports, leftBehind]
}

/** Throws CannotStart when something else stands in the place of a file or a folder of the data folder. */
export const checkPlaces = (dataDir: string): void => {
  const files = filesOf(dataDir)
  const databases = [files.log, files.readModels].flatMap(file => [file, `${file}-wal`, `${file}-shm`])
  const others = [files.secrets, files.lock].flatMap(file => [file, `${file}-journal`])
  const texts = [files.telemetry, files.nats, files.workers].flatMap(file => [file, `${file}.new`])
  const check = (place: string, wanted: 'file' | 'folder') => {
    const found = whatStandsAt(place)
    if (found === undefined || found === wanted) return
    const away = place === files.log ? 'move it away, and restore the log from a backup' : 'move it away'
    const begin = `${place} is a ${found}, and must be a ${wanted}`
    if (found !== nowhere) throw new CannotStart(`${begin}: ${away}`)
    throw new NotNow(`${begin}: mount the volume that it leads to, or ${away}`)
  }
  const proof = [files.auditKey, files.checkpoints, files.tiles]
  for (const file of [...databases, ...others, ...texts, ...proof, files.server, files.adminToken])
    check(file, 'file')
  for (const folder of foldersIn(dataDir)) check(folder, 'folder')
}

/** `url`: where the server listens. `public_url`: where clients reach it, if that is another address. */
export type RunningServer = { url: string; public_url?: string; pid: number }

/** What the server file says of this process, which listens at `url`. */
export const runningAt = (
  url: string,
  { publicUrl }: { publicUrl: { href: string } | undefined },
): RunningServer => ({
  url,
  ...(publicUrl === undefined ? {} : { public_url: publicUrl.href }),
  pid: process.pid,
})

export const writeServerFile = (file: string, server: RunningServer): void =>
  writeFileSync(file, `${JSON.stringify(server)}\n`, { mode: 0o600 })

/** Removes the server file. If that fails, the free lock still shows that the server is gone. */
export const removeServerFile = (file: string): void => {
  try {
    rmSync(file, { force: true })
  } catch {}
}

/** Reads the server file. Undefined when it is missing or does not say where a server listens. */
export const readServerFile = (file: string): RunningServer | undefined => {
  try {
    const said = JSON.parse(readPlainFile(file)) as RunningServer | null
    const isUrl = (url: unknown) => typeof url === 'string' && URL.canParse(url)
    const isWhole =
      said !== null && isUrl(said.url) && (said.public_url === undefined || isUrl(said.public_url))
    return isWhole ? said : undefined
  } catch {
    return undefined
  }
}
