// Starts a thread from the bundle. It gets all that it needs in a message, so it starts without the loaders and the
// variables of the process: loaders would take longer to start than the thread, and variables hold secrets.
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { built } from './built.ts'

export const startThread = (file: string, options: WorkerOptions): Worker =>
  new Worker(built(file), { ...options, execArgv: [], env: {} })
