// reprise cluster init and reprise cluster leave: set a cluster up, and let a stopped node leave it.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { NatsSettings } from '../../bus/nats/nats-settings.ts'
import type { Beginning } from '../../cluster/beginning.ts'
import { readClusterKeys } from '../../cluster/cluster-key.ts'
import { createAskNode } from '../../cluster/gateway/ask-node.ts'
import { createHops } from '../../cluster/gateway/hop.ts'
import { initCluster } from '../../cluster/init.ts'
import { clusterKeyFileOf, clusterNatsOf, monitorUrlsOf } from '../../cluster/settings.ts'
import { Unknown } from '../../cluster/shared-log.ts'
import { survey } from '../../cluster/survey.ts'
import { type Seen, survivingLog } from '../../cluster/surviving-log.ts'
import { makeDataDir, readConfig } from '../../config.ts'
import { CannotStart, NotNow } from '../../contract/cannot-start.ts'
import { filesOf } from '../../platform/files/data-folder.ts'
import { whatStandsAt } from '../../platform/files/plain-file.ts'
import { realWorld } from '../../platform/world.ts'
import { lockData } from '../../shard/opening/folder-lock.ts'
import { mustHaveLog, openLogOf } from '../log/folder.ts'
import { NoAnswer, NotReached } from '../terminal/exit.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { newestHolder, placesOf, type Where } from './cluster-status.ts'

type InitOptions = Common &
  Where & { nats?: string; shards: string; key?: string; data?: string; new?: true; again?: true }
type Env = Record<string, string | undefined>

const reaching = <T>(shown: string, work: Promise<T>): Promise<T> =>
  work.catch(error => {
    if (error instanceof NotNow) throw new NotReached(error.message)
    if (!(error instanceof Unknown)) throw error
    throw new NotReached(`the NATS servers at ${shown} do not answer: ${error.message}`)
  })

/** The log in a folder. */
const logIn = async (folder: string): Promise<Beginning> => {
  const log = openLogOf(readConfig({ ...process.env, CLUSTER: '0', DATA_DIR: folder }))
  const there = { id: log.id, position: log.head() }
  await log.close()
  return there
}

/** Whether the folder of --data is that of a single machine, so that its log may have gone on without the cluster. */
const isAlone = ({ data }: InitOptions): boolean =>
  data !== undefined && whatStandsAt(filesOf(path.resolve(data)).streamKeys) === undefined

/** What can be seen of the logs of nodes. Without a key, no node can be asked. */
const seenLogs = async (options: InitOptions, settings: NatsSettings, keyFile: string): Promise<Seen> => {
  const { data: folder } = options
  const inFolder = folder === undefined ? undefined : { folder, ...(await logIn(folder)) }
  if (whatStandsAt(keyFile) === undefined) return { nodes: [], inFolder }
  const { hops: key } = readClusterKeys(keyFile)
  const world = realWorld()
  const ask = createAskNode(createHops({ key, node: 'cli', world }))
  const { places, told } = placesOf(options)
  const [nodes, holder] = await Promise.all([
    survey({ ask, now: Date.now }, places, told),
    newestHolder(settings, world.timers),
  ])
  return { nodes, inFolder, holder }
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
  const { timers, ids } = realWorld()
  const keyFile = keyFileOf(options.key)
  const printer = openTerminal(options)
  const plan = {
    ...{ settings, keyFile, timers, report: () => {} },
    there: survivingLog(await seenLogs(options, settings, keyFile)),
    isAlone: isAlone(options),
    monitorUrls: monitorUrlsOf(env),
    isNew: options.new === true,
    isAgain: options.again === true,
    newId: () => ids.next('log_'),
  }
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
