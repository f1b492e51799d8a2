// Runs code of a model in an interpreter without any access to the outside. The same call has the same result.
import { createHash } from 'node:crypto'
import { heldBy, mapExact } from '../contract/json/exact-number.ts'
import type { Timers } from '../contract/ports.ts'
import type { JavascriptJob } from './javascript.ts'
import { inThread } from './job-thread.ts'
import { tool } from './tool.ts'

/**
 * Milliseconds from the deadline until the thread is ended. The interpreter itself stops at the deadline, and then
 * still returns the output. The thread is ended when it has run for 80 percent of both together, which must be more than
 * the deadline.
 */
const graceMs = 2_500

export const runJavascript = (timers: Timers, deadlineMs = 5_000) =>
  tool({
    name: 'run_javascript',
    description:
      'Runs JavaScript (ES2023, await at the top level) and gives the lines of console.log, then the value of the ' +
      'last expression: strings as they are, anything else as JSON. There is no network, no file, no import or ' +
      'require and no timer. The time stands still and Math.random is seeded. Limits: 5 seconds, 64 MiB of memory, ' +
      '64 KiB of output. Nothing is kept for the next call. `env` holds the variables that the task was given.',
    required: { code: { type: 'string', description: 'The code to run.' } },
    answer({ arguments: args, env, effectId, at, user, signal }) {
      const seed = createHash('sha256').update(effectId).digest().readUInt32LE()
      const tooLong = `The code ran longer than ${deadlineMs} ms and was stopped`
      // Numbers that JavaScript cannot hold are texts.
      const variables = mapExact(env, number => heldBy(number) ?? number.rawJSON) as typeof env
      const job: JavascriptJob = { code: args.code as string, env: variables, seed, at, deadlineMs, tooLong }
      return inThread<string>('javascript-thread', job, {
        timers,
        user,
        signal,
        deadlineMs: deadlineMs + graceMs,
        tooLong,
      })
    },
  })
