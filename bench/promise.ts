import { echoBench } from './support/echo-bench.ts'
import { checkAnswer } from './support/load.ts'
import { startBarePromise } from './support/server.ts'

export const about =
  'create and complete an echo task, against the least code that stores the same events and the same row'

export const run = (): Promise<void> =>
  echoBench('echo task, against the bare promise', {
    async against(dataDir) {
      const server = await startBarePromise(dataDir)
      await checkAnswer(server, false)
      return server
    },
    cpuTarget: { atMost: 2, aim: 1.4 },
  })
