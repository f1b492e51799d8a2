// The thread that looks at the processes of users. It may take long to read the data of a process: the read waits while
// the process holds the lock of its memory, and a process of low priority may hold this lock while it does not run.
import { parentPort } from 'node:worker_threads'
import { look, type Seen, thisMachine } from './look.ts'

export type Watched = number[]
export type Looked = { seen: Seen[] } | { failure: string }

parentPort?.on('message', (watched: Watched) => {
  const answer = (): Looked => {
    try {
      return { seen: look(thisMachine(), watched) }
    } catch (error) {
      return { failure: String(error) }
    }
  }
  parentPort?.postMessage(answer())
})
