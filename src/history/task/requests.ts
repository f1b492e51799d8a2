// What was asked of a task that works: why it is to be canceled, and when it ends because it rests for too long. That a
// pause or a cancel is asked for is said by its state.
import type { Part } from './part.ts'

export type Requests = {
  cancelReason: string | undefined
  stoppedEffects: Set<string>
  ttlSeconds: number | undefined
}

const work = (view: Requests, { ttl_seconds }: { ttl_seconds?: number }): void => {
  view.ttlSeconds = ttl_seconds
}

export const requests: Part<Requests> = {
  begin(view) {
    view.cancelReason = undefined
    view.stoppedEffects = new Set()
    view.ttlSeconds = undefined
  },
  folds: {
    TaskStarted: work,
    InputAnswered: work,
    TaskResumed: work,
    CancelRequested(view, { reason }) {
      view.cancelReason = reason
    },
    EffectStopped(view, { effect_id }) {
      view.stoppedEffects.add(effect_id)
    },
  },
}
