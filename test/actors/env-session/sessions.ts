// A system with environments in memory, and short ways to use a session in it.

import { sessionEvents } from '../../../src/contract/decoders/env-session.ts'
import { Refusal } from '../../../src/contract/refusals.ts'
import type { Recorded } from '../../../src/contract/stored.ts'
import type { StepEnvBody } from '../../../src/contract/wire.ts'
import { emptySession, evolveSession, type SessionView } from '../../../src/history/env-session.ts'
import type { Delivery } from '../../../src/once/once.ts'
import { admin } from '../../support/system.ts'
import type { SessionSystem } from './system.ts'

export const asked = { principal: admin, requestId: 'req' }
export const kinds = ['refold', 'snapshot', 'none'] as const
export type Kind = (typeof kinds)[number]

type StepOptions = { key?: string; isRetry?: boolean; signal?: AbortSignal; began?: (step: number) => void }

/** No answer reaches its caller. */
export const lost: Delivery = { onEnd: hear => hear(false) }

/** Asks whatever system there is at the moment. */
export const sessionsOf = (system: () => SessionSystem) => {
  const sessions = () => system().environments.sessions
  return {
    create: (session_id: string, kind: Kind, more: object = {}) =>
      sessions().create(
        asked,
        { session_id, env_class_path: kind, ...more },
        { isRetry: false, delivery: lost, began() {} },
      ),
    step: (
      session_id: string,
      tool_name: string,
      tool_args: StepEnvBody['tool_args'] = {},
      { key, isRetry = false, signal = new AbortController().signal, began = () => {} }: StepOptions = {},
      more: Partial<StepEnvBody> = {},
    ) =>
      sessions().step(
        asked,
        { session_id, tool_name, tool_args, ...more },
        { key, isRetry, delivery: lost, began, emit() {}, signal },
      ),
    mayStep: (session_id: string, tool_name: string, more: Partial<StepEnvBody> = {}) =>
      sessions().mayStep(asked, { session_id, tool_name, ...more }, { isRetry: false }),
    reset: (id: string, seed: number, options = {}) =>
      sessions().reset(
        asked,
        { session_id: id, seed, options },
        { isRetry: false, delivery: lost, began() {} },
      ),
    observe: (id: string) => sessions().observe(asked, id),
    close: (id: string) => sessions().close(asked, id),
    remove: (id: string) => sessions().remove(asked, id),
    viewOf: (id: string) => sessions().viewOf(id),
  }
}

/** A session as the log has it: the fold of its events, and what its steps were. */
export const recordedOf = async ({ log }: SessionSystem, id: string) => {
  const view: SessionView = emptySession()
  const events: Recorded[] = []
  const types: string[] = []
  const steps: { step: number; effect_id: string }[] = []
  for await (const page of log.readStream(`env-${id}`)) {
    for (const event of page.map(sessionEvents.read)) {
      evolveSession(view, event)
      events.push(event)
      types.push(event.type)
      if (event.type === 'EnvStepCompleted') steps.push(event.data)
    }
  }
  return { view, events, types, steps }
}

/** The reason of a refusal, or of whatever else went wrong; undefined when nothing did. */
export const reasonOf = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work
    return undefined
  } catch (error) {
    return error instanceof Refusal ? error.reason : (error as Error).message
  }
}
