// Ends this process and every process that it started, so that nothing outlives the service.
import { Worker } from 'node:worker_threads'
import { killStragglers, ownMark, ownUserId } from '../stragglers.ts'

/** Read before any code runs that could outlive the parent. */
const parent = process.ppid

/** Kills the whole process group if this process leads one, as it does when the service started it. */
export const endAll = (): never => {
  killStragglers(ownMark(), ownUserId())
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {}
  process.exit(0)
}

// A step that never yields does not notice the end of standard input. A thread notices that the parent has changed.
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
