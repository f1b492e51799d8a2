// Lets an operator decide which node owns the log. A drained node gives the log to another node that is ready, goes on as
// a standby, and does not take over until the drain ends. A restart of the node ends it, too.
import type { Conditions } from '../cluster/conditions.ts'
import type { Report, Timers } from '../contract/ports.ts'
import type { Answer } from '../http/answer/errors.ts'
import type { Answered, OtherNodes } from './other-nodes.ts'

type Deps = {
  /** The name of this node. */
  node: string
  others: Pick<OtherNodes, 'look'>
  /** Whether this node owns the log, or is about to. */
  isOwner(): boolean
  hasSuccessor(): boolean
  conditions: Conditions
  timers: Timers
  /** Called when the node must look at its role again. */
  changed(): void
  report: Report
}

/** When no other node has the log after this many milliseconds, the node that gave it up may take it again. */
const successorMs = 15_000

const drained =
  'this node is drained: it does not take over until "reprise cluster drain --off" or "reprise cluster move" names it'
const forAWhile = 'this node lets another node own the log, and does not take over for a moment'

const whyNot = ({ node, status }: Answered): string => {
  if (status === undefined) return `${node} does not answer`
  const [first] = status.conditions
  return `${node} is not ready${first === undefined ? '' : ` (${first.message})`}`
}

const isReady = ({ status }: Answered): boolean => status?.role === 'standby' && status.ready

const said = (status: number, body: object): Answer => ({ status, headers: {}, body })

export const createDraining = (deps: Deps) => {
  const { node, others, isOwner, hasSuccessor, conditions, timers, changed, report } = deps
  let isDrained = false
  let cancels: (() => void)[] = []

  const end = (): void => {
    for (const cancel of cancels) cancel()
    cancels = []
    isDrained = false
    conditions.end('drained')
    changed()
  }
  const begin = (ms: number | undefined): void => {
    for (const cancel of cancels) cancel()
    cancels = []
    const wasOwner = isOwner()
    isDrained = true
    conditions.begin('drained', ms === undefined ? drained : forAWhile)
    if (ms !== undefined) cancels.push(timers.after(ms, end))
    if (wasOwner) cancels.push(timers.after(successorMs, endUnlessTaken))
    changed()
  }
  const endUnlessTaken = (): void => {
    if (hasSuccessor()) return
    report('warn', 'no other node has taken the log over: the drain of this node ends')
    end()
  }
  /** Why no other node can have the log; undefined: one can. `to`: the name of the node that shall have it. */
  const refusal = async (to: string | undefined): Promise<string | undefined> => {
    const found = await others.look()
    const able = found.filter(one => to === undefined || one.node === to)
    if (able.some(isReady)) return undefined
    if (able.length === 0)
      return to === undefined ? 'this node knows no other node' : `this node knows no node ${to}`
    return able.map(whyNot).join(', ')
  }
  return {
    isDrained: () => isDrained,
    /** `ms`: the drain ends after so many milliseconds. */
    async on({ to, ms }: { to?: string | undefined; ms?: number | undefined }): Promise<Answer> {
      const owns = isOwner()
      const why = owns ? await refusal(to) : undefined
      if (why !== undefined)
        return said(409, { message: `no node could take the log over, so nothing was changed: ${why}` })
      begin(ms)
      return said(200, { node, was: owns ? 'owner' : 'standby' })
    },
    off(): Answer {
      const was = isDrained
      if (was) end()
      return said(200, { node, was: was ? 'drained' : 'not drained' })
    },
  }
}
export type Draining = ReturnType<typeof createDraining>
