// The thread that reads large bodies, one after another: it checks and parses the bytes, and computes the digest of a
// create.
import { parentPort } from 'node:worker_threads'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { threadGivesWay } from '../../platform/give-way.ts'
import { digestOfCreate } from '../../tasks/request-secrets.ts'
import { parseJson } from './json.ts'

export type Job = { id: number; bytes: Uint8Array; isCreate: boolean }
export type Parsed = { value: unknown; digest: string | undefined }
export type Done = { id: number } & (Parsed | { problems: Problem[] })

/** Undefined when the value is no create; its schema refuses it later. */
const digestOf = (value: unknown): string | undefined => {
  try {
    return digestOfCreate(value as CreateTaskBody)
  } catch {
    return undefined
  }
}

const done = ({ id, bytes, isCreate }: Job): Done => {
  try {
    const value = parseJson(bytes)
    return { id, value, digest: isCreate ? digestOf(value) : undefined }
  } catch (error) {
    if (error instanceof Invalid) return { id, problems: error.problems }
    throw error
  }
}

threadGivesWay('all')
parentPort?.on('message', (job: Job) => parentPort?.postMessage(done(job)))
