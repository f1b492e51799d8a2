// Nothing outlives the service: neither this process nor what it has started.
import { Worker } from 'node:worker_threads'
import { killStragglers, ownMark, ownUserId } from '../stragglers.ts'

/** Known before anything runs that could outlast it. */
const parent = process.ppid

/** Kills the whole group where we lead one, as we do when the service has started us. */
export const endAll = (): never => {
  killStragglers(ownMark(), ownUserId())
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {}
  process.exit(0)
}

// A step that never yields does not see that the standard input has ended: a thread sees that the parent is another.
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
