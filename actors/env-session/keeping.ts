// Keeps the state of an instance after a step or a reset, and says which part of it could not be kept.

import {
  AuthorsError,
  EnvironmentGone,
  type Instance,
  type StepAnswer,
} from '../../src/contract/environment.ts'
import type { Snapshot } from '../../src/contract/events/env-session-events.ts'
import type { SessionView } from '../../src/history/env-session.ts'
import type { Instances } from './instances.ts'
import type { OwnedSession } from './ports.ts'

type Keeper = Pick<Instances, 'keep' | 'isBackupMade'>
/** `leftOut`: parts of the state that are not kept. */
type KeptState = { snapshot?: Snapshot; leftOut: string[] }

/** Keeps nothing unless the environment recovers from snapshots. */
export const keepState = async (
  instances: Keeper,
  instance: Instance,
  session: OwnedSession,
  { step, before }: { step: number; before: Snapshot | undefined },
): Promise<KeptState> => {
  const leftOut: string[] = []
  if (instance.recovery !== 'snapshot') return { leftOut }
  const keepOld = await instances.isBackupMade()
  const state = await instance.snapshot({ leaveOut: what => leftOut.push(what), keepOld })
  return { snapshot: await instances.keep(session, step, state, { before, keepOld }), leftOut }
}

const whereKept = ({ keptStep }: SessionView): string =>
  keptStep === undefined ? 'after its newest reset' : `after step ${keptStep}`

/** The error of a step whose session came back from a state that is older than the end of the log. */
export const cameBackOlder = (view: SessionView): string =>
  `the session came back as it was ${whereKept(view)}: the state of later steps was not kept`

/** The greatest length, in characters, of the list of parts that were not kept. A longer list is cut. */
const longestList = 2_000

type Added = Pick<StepAnswer, 'info' | 'error'> & { snapshot?: Snapshot }
/**
 * A step that was taken counts even if its state cannot be kept. The instance continues from it, and the answer says
 * which state a restart will bring back.
 */
export const keepStep = async (
  view: SessionView,
  answer: StepAnswer,
  keeping: () => Promise<KeptState>,
): Promise<Added> => {
  try {
    const { leftOut, ...kept } = await keeping()
    const list = leftOut.join('; ')
    const short = list.length > longestList ? `${list.slice(0, longestList)}…` : list
    return { ...kept, info: list === '' ? answer.info : { ...answer.info, not_kept: short } }
  } catch (error) {
    if (error instanceof EnvironmentGone) throw Object.assign(error, { during: 'step' })
    if (!(error instanceof AuthorsError)) throw error
    const unkept =
      `the state after this step is not kept: ${error.message}. The session continues with this state, ` +
      `but after a restart of the service it comes back as it was ${whereKept(view)}`
    return { info: answer.info, error: answer.error === undefined ? unkept : `${answer.error}; ${unkept}` }
  }
}
