// Serves a data folder over HTTP: opens the folder, starts the HTTP server, and stops everything in order.
import type { Config } from '../config.ts'
import type { Report } from '../contract/ports.ts'
import { createFront, type Front } from '../front/front.ts'
import { cannotListen, checkPort, waitingConnections } from '../http/server/port.ts'
import { removeServerFile, runningAt, writeServerFile } from '../platform/files/data-folder.ts'
import { unusable } from '../platform/files/unusable.ts'
import { type Folder, openFolder } from '../shard/opening/open-folder.ts'
import type { ShardOptions } from '../shard/opening/open-shard.ts'
import { createShard } from '../shard/shard.ts'
import { openInspector } from './inspector.ts'

/** Begins to accept connections, and resolves to the URL of the server. Rejects with CannotStart when it cannot. */
const listen = async ({ app }: Front, { host, port }: Config): Promise<string> => {
  await app.listen({ host, port, backlog: waitingConnections }).catch(error => {
    throw cannotListen(host, port, error)
  })
  const address = app.server.address()
  const listening = typeof address === 'object' && address !== null ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${listening}`
}

type Running = {
  folder: Folder
  front: Front
  inspector: Awaited<ReturnType<typeof openInspector>>
}

/** Closes everything that a server has opened, except its port. The lock of the folder is released last. */
const closeFolder = async ({ folder, front, inspector }: Running): Promise<void> => {
  await front.close()
  await inspector?.close()
  removeServerFile(folder.files.server)
  folder.unlock()
}

/**
 * Refuses new work, lets running steps finish for up to `patienceMs`, ends open streams, and then closes the folder.
 */
const stopServer = async (running: Running, patienceMs: number): Promise<void> => {
  const { app, drain } = running.front
  await drain(patienceMs)
  app.server.closeIdleConnections()
  setTimeout(() => app.server.closeAllConnections(), 500).unref()
  await app.close()
  await closeFolder(running)
}

/** Starts the server. Rejects with CannotStart, or with the reason of `options.stopping`. */
export const startServer = async (config: Config, report: Report, options: ShardOptions = {}) => {
  await checkPort(config.host, config.port)
  options.stopping?.throwIfAborted()
  const inspector = await openInspector(config, report)
  const inspect = inspector?.inspect
  const folder = await openFolder(config, report, { ...options, inspect }).catch(async error => {
    await inspector?.close()
    throw error
  })
  const shard = createShard(config, folder, report)
  const front = await createFront(config, shard, report)
  const running = { folder, front, inspector }
  const url = await listen(front, config).catch(async error => {
    await closeFolder(running)
    throw error
  })
  shard.publish()

  let stopped: Promise<void> | undefined
  const stop = (patienceMs = config.drainSeconds * 1000): Promise<void> => {
    stopped ??= stopServer(running, patienceMs)
    return stopped
  }
  try {
    writeServerFile(folder.files.server, runningAt(url, config))
  } catch (error) {
    await stop(0).catch(() => {})
    throw unusable(folder.files.server, error, { doing: 'written' })
  }
  const { sandbox, ownUsers, resumed, running: runningTasks } = shard
  const { system, codeHosts } = folder
  return {
    url,
    /** The HTTP server under it. */
    listener: front.app.server,
    sandbox,
    ownUsers,
    resumed,
    running: runningTasks,
    consoleLink: front.consoleLink,
    stop,
    system,
    workers: codeHosts.workers,
  }
}
export type Server = Awaited<ReturnType<typeof startServer>>
