// reprise cluster init and reprise cluster leave: set a cluster up, and let a stopped node leave it.
import { rmSync } from 'node:fs'
import path from 'node:path'
import { initCluster } from '../cluster/init.ts'
import { clusterKeyFileOf, clusterNatsOf } from '../cluster/settings.ts'
import { Unknown } from '../cluster/shared-log.ts'
import { makeDataDir, readConfig } from '../config.ts'
import { CannotStart, NotNow } from '../contract/cannot-start.ts'
import { lockData } from '../maintenance/folder-lock.ts'
import { filesOf } from '../platform/data-folder.ts'
import { whatStandsAt } from '../platform/plain-file.ts'
import { realWorld } from '../platform/world.ts'
import { NoAnswer, NotReached } from './exit.ts'
import { mustHaveLog, openLogOf } from './folder.ts'
import { type Common, openTerminal } from './terminal.ts'

type InitOptions = Common & { nats?: string; shards: string; key?: string; data?: string }
type Env = Record<string, string | undefined>

const reaching = <T>(shown: string, work: Promise<T>): Promise<T> =>
  work.catch(error => {
    if (error instanceof NotNow) throw new NotReached(error.message)
    if (!(error instanceof Unknown)) throw error
    throw new NotReached(`the NATS servers at ${shown} do not answer: ${error.message}`)
  })

/** The id of the log in a folder. */
const idIn = async (folder: string): Promise<string> => {
  const log = openLogOf(readConfig({ ...process.env, DATA_DIR: folder }))
  await log.close()
  return log.id
}

const keyFileOf = (given: string | undefined): string => {
  if (given !== undefined) return path.resolve(given)
  const file = clusterKeyFileOf(process.env)
  if (!process.env.CLUSTER_KEY_FILE) makeDataDir(path.dirname(file))
  return file
}

export const init = async (options: InitOptions): Promise<void> => {
  if (options.shards !== '1') throw new CannotStart(`--shards ${options.shards}: a cluster has 1 shard`)
  const env: Env =
    options.nats === undefined ? process.env : { ...process.env, CLUSTER_NATS_URL: options.nats }
  const settings = clusterNatsOf(env)
  const isThere = options.data !== undefined
  const { timers, ids } = realWorld()
  const id = options.data === undefined ? ids.next('log_') : await idIn(options.data)
  const keyFile = keyFileOf(options.key)
  const printer = openTerminal(options)
  const plan = { settings, keyFile, log: { id, isThere }, timers, report: () => {} }
  const { keyMade, created, logId, judgements } = await reaching(settings.shown, initCluster(plan))
  if (options.json) {
    const streams = { created }
    await printer.rows([
      JSON.stringify({ key_file: keyFile, key_made: keyMade, streams, log_id: logId, judgements }),
    ])
    return
  }
  await printer.rows([
    `Key      ${keyFile} (${keyMade ? 'made: copy it to every node' : 'was there'})`,
    `Streams  ${created.length > 0 ? `${created.join(', ')} (created)` : 'were there'}`,
    `Log      ${logId}`,
  ])
  for (const { level, text } of judgements) printer.line(text, level === 'warn' ? 'red' : 'dim')
}

/** Removes the files that make a data folder a copy of a cluster's log. Then a single server can use the folder. */
export const leave = async (options: Common): Promise<void> => {
  const config = readConfig({ ...process.env, CLUSTER: '0' })
  const { streamKeys, cluster, nodes } = filesOf(config.dataDir)
  const printer = openTerminal(options)
  mustHaveLog(config)
  const release = lockData(config.dataDir)
  try {
    if (whatStandsAt(streamKeys) === undefined)
      throw new NoAnswer(`${config.dataDir} is in no cluster: nothing was changed`)
    for (const file of [
      streamKeys,
      `${streamKeys}-journal`,
      cluster,
      `${cluster}.new`,
      nodes,
      `${nodes}.new`,
    ])
      rmSync(file, { force: true })
  } finally {
    release()
  }
  const text = `${config.dataDir} has left the cluster: start it without CLUSTER=1, and start no other node of that cluster`
  await printer.rows([options.json ? JSON.stringify({ left: config.dataDir }) : text])
}
