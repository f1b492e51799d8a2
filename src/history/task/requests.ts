// The part of a task's view with requests to a working task: the reason for which it is canceled, the stopped effects,
// and for how many seconds a working task may go without an event. The state of the task says whether a pause or a
// cancel was requested.
import type { Part } from './part.ts'

export type Requests = {
  cancelReason: string | undefined
  stoppedEffects: Set<string>
  /** The digests of the requests that have brought input. */
  inputDigests: Set<string>
  ttlSeconds: number | undefined
}

const work = (view: Requests, { ttl_seconds }: { ttl_seconds?: number }): void => {
  view.ttlSeconds = ttl_seconds
}

export const requests: Part<Requests> = {
  begin(view) {
    view.cancelReason = undefined
    view.stoppedEffects = new Set()
    view.inputDigests = new Set()
    view.ttlSeconds = undefined
  },
  folds: {
    TaskStarted: work,
    InputAnswered: work,
    TaskResumed: work,
    InputAccepted(view, { digest }) {
      if (digest !== undefined) view.inputDigests.add(digest)
    },
    EffectPromised(view, { asks }) {
      if (asks?.digest !== undefined) view.inputDigests.add(asks.digest)
    },
    CancelRequested(view, { reason }) {
      view.cancelReason = reason
    },
    EffectStopped(view, { effect_id }) {
      view.stoppedEffects.add(effect_id)
    },
  },
}
