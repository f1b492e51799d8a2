// The thread that compiles and runs strangers' schemas, and the port to it.
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import { startThread } from '../platform/thread.ts'
import type { Reply, Request } from './schema-thread.ts'

const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 }

/** What its owner does; nothing of it is called after `end`. */
type Handlers = {
  answered: (problems: string[]) => void
  /** It is ready for a request: it has started, or has answered the one before. */
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
    /** Under which its time is counted; undefined before it is ready, and where nobody counts. */
    name: () => name,
    send: (request: Request) => port.postMessage(request),
    /** Whether it keeps the process alive. */
    keepAlive: (is: boolean) => (is ? worker.ref() : worker.unref()),
    /** Takes the replies that have arrived and that the event loop, busy with other work, has not delivered. */
    receive(): void {
      for (let heard = receiveMessageOnPort(port); heard; heard = receiveMessageOnPort(port))
        take(heard.message)
    },
    /** Resolves when the thread is gone, whatever it was doing. */
    end(): Promise<unknown> {
      isEnded = true
      port.close()
      return worker.terminate()
    },
  }
}
export type SchemaWorker = ReturnType<typeof startSchemaWorker>
