import { echoBench } from './support/echo-bench.ts'

export const about =
  'create an echo task and read its stream to the end, against one durable insert for each request'

export const run = (): Promise<void> => echoBench('echo task, streamed', true, { atLeast: 0.22, aim: 0.4 })
