// The thread that reads large bodies, one after another. It checks and parses the bytes. For the body of a create, it
// also computes the digest.
import { parentPort } from 'node:worker_threads'
import { Invalid, type Problem } from '../../contract/refusals.ts'
import type { CreateTaskBody } from '../../contract/wire.ts'
import { threadGivesWay } from '../../platform/give-way.ts'
import { digestOfCreate } from '../../tasks/request-secrets.ts'
import { parseJson } from './json.ts'

export type Job = { id: number; chunks: Uint8Array[]; isCreate: boolean }
export type Parsed = { value: unknown; digest: string | undefined }
export type Done = { id: number } & (Parsed | { problems: Problem[] })

/**
 * The digest of a create; undefined if the value is not the body of a create. The schema refuses that value later.
 */
const digestOf = (value: unknown): string | undefined => {
  try {
    return digestOfCreate(value as CreateTaskBody)
  } catch {
    return undefined
  }
}

const done = ({ id, chunks, isCreate }: Job): Done => {
  try {
    const value = parseJson(Buffer.concat(chunks))
    return { id, value, digest: isCreate ? digestOf(value) : undefined }
  } catch (error) {
    if (error instanceof Invalid) return { id, problems: error.problems }
    throw error
  }
}

threadGivesWay('all')
parentPort?.on('message', (job: Job) => parentPort?.postMessage(done(job)))
