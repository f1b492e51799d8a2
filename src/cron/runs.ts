// Begins and ends the runs of jobs. Reads the request for a run's task before it asks the job's actor to begin the run.
import type { Runtime } from '../../actors/runtime/runtime.ts'
import type { Makers } from '../access/makers.ts'
import type { CronCommand, RunEnd } from '../contract/commands/cron-commands.ts'
import { cronStream, noValidToken } from '../contract/events/cron-events.ts'
import type { Ids } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import type { CronView } from '../history/cron-job.ts'
import type { RunRequests } from './requests.ts'

type Deps = {
  runtime: Pick<Runtime<CronView, CronCommand>, 'ask' | 'until'>
  requests: RunRequests
  makers: Pick<Makers, 'mayAct'>
  ids: Ids
}
const always = () => true
const system = (stream: string) => ({ principal: 'system', causation: stream })

export const createRuns = ({ runtime, requests, makers, ids }: Deps) => {
  const mayAct = ({ maker }: CronView): boolean =>
    maker === undefined || makers.mayAct({ token: maker.token_id, userId: maker.user_id ?? null })

  /** Sends a command that may begin a run, with the request of the run. */
  const ask = async (stream: string, ticket: string, command: CronCommand): Promise<CronView> => {
    await requests.ready(ticket, await runtime.until(stream, always))
    try {
      const view = await runtime.ask(stream, command)
      requests.stored(ticket)
      return view
    } catch (error) {
      requests.failed(ticket, error)
      throw error
    }
  }

  const queued = async (jobId: string): Promise<void> => {
    const stream = cronStream(jobId)
    for (;;) {
      const ticket = ids.next('run_')
      const before = (await runtime.until(stream, always)).queue.length
      if (before === 0) return
      const view = await ask(stream, ticket, { type: 'RunQueued', ticket, ...system(stream) })
      // A refused run ends at once, so the next one may begin.
      if (view.running.size > 0 || view.queue.length === before) return
    }
  }

  return {
    /** A time of the job's schedule was due when the alarm looked, at `seenAt`. Returns the job's view. */
    async due(jobId: string, seenAt: number): Promise<CronView> {
      const stream = cronStream(jobId)
      const view = await runtime.until(stream, always)
      // A request may have made or changed the job while the last token of its maker expired.
      if (view.state === 'active' && !mayAct(view))
        return runtime.ask(stream, { type: 'PauseJob', reason: noValidToken, ...system(stream) })
      const runId = ids.next('run_')
      const command = { type: 'RunDue', runId, skipId: ids.next('run_'), seenAt, ...system(stream) } as const
      return ask(stream, runId, command)
    },
    /** A caller wants the run `runId` now. */
    async now(
      jobId: string,
      runId: string,
      asked: { principal: string; causation: string; idempotencyKey: string | undefined },
    ): Promise<void> {
      const stream = cronStream(jobId)
      if (!mayAct(await runtime.until(stream, always))) {
        throw new Refusal('Conflict', { job_id: jobId }, 'the maker of this job has no valid token', {
          hint: 'Resume the job first, or give the maker a token.',
        })
      }
      await ask(stream, runId, { type: 'RunNow', runId, ...asked })
    },
    queued,
    /** The task of a run ended. The next waiting run may begin. */
    async end(jobId: string, runId: string, end: RunEnd): Promise<void> {
      const stream = cronStream(jobId)
      const view = await runtime.ask(stream, { type: 'EndRun', runId, end, ...system(stream) })
      if (view.running.size === 0 && view.queue.length > 0) await queued(jobId)
    },
  }
}
export type Runs = ReturnType<typeof createRuns>
