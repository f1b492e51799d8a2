// The files of a data folder, and who may hold them.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const filesOf = (dataDir: string) => ({
  log: path.join(dataDir, 'log.db'),
  readModels: path.join(dataDir, 'read.db'),
  secrets: path.join(dataDir, 'secrets.db'),
  lock: path.join(dataDir, 'lock.db'),
  server: path.join(dataDir, 'server.json'),
  sessions: path.join(dataDir, 'environments'),
  children: path.join(dataDir, 'children'),
  telemetry: path.join(dataDir, 'otel.json'),
  nats: path.join(dataDir, 'nats.json'),
  rollouts: path.join(dataDir, 'rollouts'),
  logs: path.join(dataDir, 'logs'),
})

export type RunningServer = { url: string; pid: number }

export const writeServerFile = (file: string, server: RunningServer): void =>
  writeFileSync(file, `${JSON.stringify(server)}\n`, { mode: 0o600 })

export const removeServerFile = (file: string): void => rmSync(file, { force: true })

export const readServerFile = (file: string): RunningServer | undefined => {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RunningServer
  } catch {
    return undefined
  }
}
