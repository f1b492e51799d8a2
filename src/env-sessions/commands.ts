// Puts the operations on environment sessions together. Each operation has a file of its own.
import type { Caller } from '../../actors/env-session/callers.ts'
import type { EnvOperation } from '../contract/environment.ts'
import type { CreateEnvBody, ResetEnvBody, StepEnvBody } from '../contract/wire.ts'
import type { Attempt, Retry } from '../once/once.ts'
import { closeIdle, closeLost, closeSession, removeSession } from './close.ts'
import { createSession } from './create.ts'
import type { Asked, SessionDeps, Shared } from './deps.ts'
import { type ForkSession, forkSession } from './fork.ts'
import { observe } from './observe.ts'
import { viewOf } from './reading.ts'
import { resetSession } from './reset.ts'
import { createSessionRetries } from './retries.ts'
import { mayStep, step } from './step.ts'
import { createStepsUnderWay } from './steps-under-way.ts'
import type { StepCaller } from './take-step.ts'
import { operateFor } from './task-operations.ts'
import { hasBegun, isOf, type TaskStep, takeFor, toolsFor } from './task-steps.ts'

type Begins = Attempt & { began(): void }
type StepGiven = Attempt & Required<Pick<Caller, 'began' | 'emit' | 'signal'>>

export const createSessions = (sessionDeps: SessionDeps) => {
  const lookedAt = new Map<string, number>()
  const ownView = (id: string) => viewOf(sessionDeps, id)
  const deps: Shared = {
    ...sessionDeps,
    retries: createSessionRetries(),
    lookedAt,
    steps: createStepsUnderWay(sessionDeps.disk, sessionDeps.quotas),
  }
  return {
    create: (asked: Asked, body: CreateEnvBody, how: Begins) => createSession(deps, asked, body, how),
    step: (asked: Asked, body: StepEnvBody, how: StepGiven) => step(deps, asked, body, how),
    mayStep: (asked: Asked, body: StepEnvBody, retry: Retry) => mayStep(deps, asked, body, retry),
    reset: (asked: Asked, body: ResetEnvBody, how: Begins) => resetSession(deps, asked, body, how),
    observe: (asked: Asked, id: string) => observe(deps, asked, id),
    close: (asked: Asked, id: string) => closeSession(deps, asked, id),
    remove: (asked: Asked, id: string) => removeSession(deps, asked, id),
    cleanUp: (asked: Asked, seconds: number, userId?: string) => closeIdle(deps, asked, seconds, userId),
    fork: (asked: Asked, wish: ForkSession) => forkSession(deps, asked, wish),
    closeLost: () => closeLost(deps),
    accessedAt: (id: string): number => lookedAt.get(id) ?? 0,
    viewOf: ownView,
    toolsFor: (id: string, userId: string) => toolsFor(deps, id, userId),
    isOf: (id: string, userId: string) => isOf(deps, id, userId),
    hasBegun: (id: string, userId: string, effectId: string) => hasBegun(deps, id, userId, effectId),
    operateFor: (id: string, userId: string, operation: EnvOperation) =>
      operateFor(deps, id, userId, operation),
    takeFor: (id: string, step: TaskStep, caller: StepCaller) => takeFor(deps, id, step, caller),
  }
}
export type Sessions = ReturnType<typeof createSessions>
