import { echoBench } from './support/echo-bench.ts'

export const about = 'the same as a stream, read to its end'

export const run = (): Promise<void> => echoBench('echo task, streamed', true, { atLeast: 0.25 })
