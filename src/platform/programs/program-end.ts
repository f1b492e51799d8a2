// Ends this process and every process that it started, so that nothing outlives the service.
import { Worker } from 'node:worker_threads'
import { killStragglers, ownMark, ownUserId } from './stragglers.ts'

/** The id of the parent process. It is read first, because a process gets another parent when its parent ends. */
const parent = process.ppid

/**
 * Kills the processes that this process started, and its whole process group if it leads one. It leads one when the
 * service has started it.
 */
export const endAll = (): never => {
  killStragglers(ownMark(), ownUserId())
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {}
  process.exit(0)
}

// During a step that never yields, the main thread cannot notice the end of standard input. So another thread watches
// whether the parent process has changed.
const watcher = `
  setInterval(() => {
    if (process.ppid === ${parent}) return
    try { process.kill(-process.pid, 'SIGKILL') } catch {}
    process.kill(process.pid, 'SIGKILL')
  }, 1000)`

export const watchParent = (): void => {
  const worker = new Worker(watcher, {
    eval: true,
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  })
  worker.on('error', () => {})
  worker.unref()
}
