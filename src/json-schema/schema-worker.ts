// Starts the thread that compiles and runs callers' schemas, and exchanges messages with it.
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { startThread } from '../platform/threads/thread.ts'
import type { Reply, Request } from './schema-thread.ts'

const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** These functions are called when the thread sends a message or ends, but not after `end` was called. */
type Handlers = {
  answered: (problems: string[]) => void
  /** The thread is ready for a request: it has started, or has answered the last one. */
  free: () => void
  lost: (error: Error & { code?: string }) => void
}

export const startSchemaWorker = ({ answered, free, lost }: Handlers) => {
  const { port1: port, port2 } = new MessageChannel()
  const worker = startThread('schema-thread.mjs', {
    workerData: { port: port2 },
    transferList: [port2],
    resourceLimits,
  })
  let isReady = false
  let isEnded = false
  let name: string | undefined

  const take = (reply: Reply): void => {
    if ('ready' in reply) {
      isReady = true
      name = reply.thread
    } else answered(reply.problems)
  }
  port.on('message', (reply: Reply) => {
    if (isEnded) return
    take(reply)
    free()
  })
  port.unref()
  const end = (error: Error) => {
    if (!isEnded) lost(error)
  }
  worker.on('error', end)
  worker.on('exit', () => end(new Error('the schema thread ended')))

  return {
    isReady: () => isReady,
    /**
     * The name under which the system counts the thread's run time; undefined before the thread is ready, and on
     * systems that do not count the run time.
     */
    name: () => name,
    send: (request: Request) => port.postMessage(request),
    /** Whether the thread keeps the process alive. */
    keepAlive: (is: boolean) => (is ? worker.ref() : worker.unref()),
    /** Takes replies that have arrived but that the busy event loop has not delivered yet. */
    receive(): void {
      for (let heard = receiveMessageOnPort(port); heard; heard = receiveMessageOnPort(port))
        take(heard.message)
    },
    /** Resolves when the thread has ended, even in the middle of a request. */
    end(): Promise<unknown> {
      isEnded = true
      port.close()
      return worker.terminate()
    },
  }
}
export type SchemaWorker = ReturnType<typeof startSchemaWorker>
