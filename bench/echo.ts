import { echoBench } from './support/echo-bench.ts'
import { profileEcho } from './support/profile.ts'
import { startOneInsert } from './support/server.ts'

export const about =
  'create and complete an echo task, against one durable insert for each request (--profile shows where the time goes; a file name behind it gets a flame graph)'

export const run = (args: string[]): Promise<void> =>
  args.includes('--profile')
    ? profileEcho(args, { stream: false })
    : echoBench('echo task, blocking', {
        against: startOneInsert,
        target: { atLeast: 0.25, aim: 0.33 },
        cpuTarget: { atMost: 5, aim: 4 },
      })
