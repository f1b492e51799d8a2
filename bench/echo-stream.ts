import { echoBench } from './support/echo-bench.ts'
import { profileEcho } from './support/profile.ts'
import { startOneInsert } from './support/server.ts'

export const about =
  'create an echo task and read its stream to the end, against one durable insert for each request (--profile, as of echo)'

export const run = (args: string[]): Promise<void> =>
  args.includes('--profile')
    ? profileEcho(args, { stream: true })
    : echoBench('echo task, streamed', {
        stream: true,
        against: startOneInsert,
        target: { atLeast: 0.18, aim: 0.3 },
      })
