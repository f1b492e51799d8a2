import { echoBench } from './support/echo-bench.ts'
import { checkAnswer } from './support/load.ts'
import { type Server, startBarePromise, startOneInsert } from './support/server.ts'

export const about =
  'create and complete an echo task, against the least code that stores the same events and the same row (--limits shows what is possible)'

const barePromise =
  (leftOut = '') =>
  async (dataDir: string): Promise<Server> => {
    const server = await startBarePromise(dataDir, leftOut)
    await checkAnswer(server, false)
    await checkAnswer(server, true)
    return server
  }

/** What the bare promise itself reaches against one insert, so that we cannot reach more; and what its parts cost. */
const limits = async (): Promise<void> => {
  await echoBench('the bare promise, against one insert', {
    measured: barePromise(),
    against: startOneInsert,
  })
  await echoBench('the bare promise streamed, against one insert', {
    stream: true,
    measured: barePromise(),
    against: startOneInsert,
  })
  for (const leftOut of ['hashes', 'rows', 'events'])
    await echoBench(`the bare promise, against itself without ${leftOut}`, {
      crowds: [32],
      measured: barePromise(),
      against: barePromise(leftOut),
    })
}

const compared = async (): Promise<void> => {
  await echoBench('echo task, against the bare promise', {
    against: barePromise(),
    cpuTarget: { atMost: 2, aim: 1.4 },
  })
  await echoBench('echo task streamed, against the bare promise streamed', {
    stream: true,
    baselineStream: true,
    against: barePromise(),
  })
}

export const run = (args: string[]): Promise<void> => (args.includes('--limits') ? limits() : compared())
