// The workshop: the process in which the threads of tools run. It ends when the server is gone or closes the channel.
import type { Worker } from 'node:worker_threads'
import { leaveSignals } from '../platform/signals.ts'
import { threadGivesWay } from '../platform/threads/give-way.ts'
import { tellParent } from '../platform/threads/tell-parent.ts'
import { startThread } from '../platform/threads/thread.ts'
import type { FromWorkshop, ToWorkshop } from './workshop.ts'

/** Limits of JavaScript itself; the memory of WebAssembly is not included. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

const worded = ({ code, message }: Error & { code?: string }): string =>
  code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'It needed too much memory and was ended' : message

const threads = new Map<number, Worker>()
const say = (message: FromWorkshop): void => tellParent(message)

leaveSignals()
threadGivesWay('all')
process.on('message', (order: ToWorkshop) => {
  const { n } = order
  if ('end' in order) return void threads.get(n)?.terminate()
  const worker = startThread(`${order.entry}.mjs`, { workerData: order.job, resourceLimits })
  threads.set(n, worker)
  worker.on('message', said => say({ n, said }))
  worker.on('error', error => say({ n, said: { failure: worded(error) } }))
  worker.on('exit', () => {
    threads.delete(n)
    say({ n, gone: true })
  })
})
process.on('disconnect', () => process.exit())
