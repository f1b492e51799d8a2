// What was asked of a task that works, and is not done yet: a pause, a cancel, an end when it rests for too long.
import type { Part } from './part.ts'

export type Requests = {
  pauseRequested: boolean
  cancelRequested: boolean
  cancelReason: string | undefined
  stoppedEffects: Set<string>
  ttlSeconds: number | undefined
}

const work = (view: Requests, { ttl_seconds }: { ttl_seconds?: number }): void => {
  view.ttlSeconds = ttl_seconds
}

export const requests: Part<Requests> = {
  begin(view) {
    view.pauseRequested = false
    view.cancelRequested = false
    view.cancelReason = undefined
    view.stoppedEffects = new Set()
    view.ttlSeconds = undefined
  },
  folds: {
    TaskStarted: work,
    InputAnswered: work,
    TaskResumed: work,
    PauseRequested(view) {
      view.pauseRequested = true
    },
    TaskPaused(view) {
      view.pauseRequested = false
    },
    CancelRequested(view, { reason }) {
      view.cancelRequested = true
      view.cancelReason = reason
    },
    EffectStopped(view, { effect_id }) {
      view.stoppedEffects.add(effect_id)
    },
  },
}
