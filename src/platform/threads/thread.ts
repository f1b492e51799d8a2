// Starts a thread from the bundle, without the loaders and the environment variables of the process: loaders would take
// longer to start than the thread, and variables may hold secrets. A thread gets all that it needs as data.
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { built } from '../built.ts'

export const startThread = (file: string, options: WorkerOptions): Worker =>
  new Worker(built(file), { ...options, execArgv: [], env: {} })
