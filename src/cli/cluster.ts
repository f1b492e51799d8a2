// reprise cluster init and reprise cluster leave: set a cluster up, and let a stopped node leave it.
import { rmSync } from 'node:fs'
import path from 'node:path'
import type { Beginning } from '../cluster/beginning.ts'
import { readClusterKeys } from '../cluster/cluster-key.ts'
import { createAsk } from '../cluster/door/ask-node.ts'
import { createHops } from '../cluster/door/hop.ts'
import { initCluster, type Plan } from '../cluster/init.ts'
import { clusterKeyFileOf, clusterNatsOf } from '../cluster/settings.ts'
import { Unknown } from '../cluster/shared-log.ts'
import { survey } from '../cluster/survey.ts'
import { makeDataDir, readConfig } from '../config.ts'
import { CannotStart, NotNow } from '../contract/cannot-start.ts'
import { lockData } from '../maintenance/folder-lock.ts'
import { filesOf } from '../platform/data-folder.ts'
import { whatStandsAt } from '../platform/plain-file.ts'
import { realWorld } from '../platform/world.ts'
import { placesOf, type Where } from './cluster-status.ts'
import { NoAnswer, NotReached } from './exit.ts'
import { mustHaveLog, openLogOf } from './folder.ts'
import { type Common, openTerminal } from './terminal.ts'

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

/** The log of the node that owns the shared log and answers; undefined: none does, or there is no key yet. */
const logOfOwner = async (options: InitOptions, keyFile: string): Promise<Beginning | undefined> => {
  if (whatStandsAt(keyFile) === undefined) return undefined
  const { hops: key } = readClusterKeys(keyFile)
  const ask = createAsk(createHops({ key, node: 'cli', world: realWorld() }))
  const { places, told } = placesOf(options)
  const nodes = await survey({ ask, now: Date.now }, places, told)
  const owner = nodes.find(({ role, state }) => role === 'owner' && state === 'answers')
  return owner?.log_id === undefined ? undefined : { id: owner.log_id, position: owner.position ?? 0 }
}

/** The log with which the cluster goes on; `there` is undefined: nobody has one, as far as can be seen. */
const logThere = async (options: InitOptions, keyFile: string): Promise<Pick<Plan, 'there' | 'isAlone'>> => {
  const owned = await logOfOwner(options, keyFile)
  if (options.data === undefined) return { there: owned }
  const inFolder = await logIn(options.data)
  const isAlone = whatStandsAt(filesOf(path.resolve(options.data)).streamKeys) === undefined
  if (owned === undefined) return { there: inFolder, isAlone }
  if (owned.id === inFolder.id) return { there: owned }
  throw new CannotStart(
    `the node that owns the log has the log ${owned.id}, and ${options.data} has ${inFolder.id}: leave --data out, or stop that node if its log is not needed`,
  )
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
    ...(await logThere(options, keyFile)),
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
