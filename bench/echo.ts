import { echoBench } from './support/echo-bench.ts'
import { profileEcho } from './support/profile.ts'

export const about =
  'create and complete an echo task, against one durable insert for each request (--profile shows where the time goes)'

export const run = (args: string[]): Promise<void> =>
  args.includes('--profile')
    ? profileEcho()
    : echoBench('echo task, blocking', false, { atLeast: 0.25, aim: 0.4 })
