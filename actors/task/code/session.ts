// Runs the code of a task's agent in a host, as long as the task wants it: asks for a lease, gives it the results in their
// stored order, and stores its turns one after the other. The journal is all that a host needs, so a lease may end at any time.

import { isCanceling, isPausing } from '../../../src/contract/charts/task-state.ts'
import type { Begin, Lease, LeaseEnd, LeaseListener, Turn } from '../../../src/contract/code-agent.ts'
import type { TaskCommand } from '../../../src/contract/commands/commands.ts'
import { isSameJson } from '../../../src/contract/json/canonical.ts'
import { plainText } from '../../../src/contract/plain-text.ts'
import { taskErrors } from '../../../src/contract/task-errors.ts'
import type { CreateTaskBody } from '../../../src/contract/wire.ts'
import { firstSeen } from '../../../src/history/context.ts'
import { openCalls } from '../../../src/history/task/calls.ts'
import { effectIdOf } from '../../../src/history/task/steps.ts'
import type { TaskDeps } from '../deps.ts'
import { secretsOf } from '../scope.ts'
import { bySystem, type Self, sendToSelf } from '../self.ts'
import { createEarlyOutcomes } from './early-outcomes.ts'
import { OddTurn, planTurn } from './plan-turn.ts'

/** A task fails when its hosts have ended this often in a row during its lease, or were cut so often for flooding. */
const mostDeaths = 4
const mostFloods = 3
/** A task fails when this many workers in a row were lost before they had answered, and each had begun only this task. */
const mostSilent = 10
/** A task says that it waits for a worker when none has come for this many milliseconds. */
const waitMs = 1000
/** The longest time of a timer, in milliseconds. A later time is looked at again then. */
const longestTimerMs = 2 ** 31 - 1

type Running = {
  lease: Lease
  /** Whether a host has taken the lease. Until then it needs no news: it begins with all that is stored. */
  hasBegun: boolean
  /** The version of the agent that the host runs. */
  version: string
  /** How many results the host has, with those that are not stored yet. */
  given: number
  /** How many results the code has seen, as its newest turn says. */
  seen: number
  /** Whether something that the host has asked for was left to the next lease, and so all that follows from it. */
  isBehind: boolean
  /** The newest attempt of each side effect that this host has the order to run, by the number of its entry. */
  attempts: Map<number, number>
}

const inputOf = ({ user_message_content: content, history_messages: items = [] }: CreateTaskBody) => ({
  text: plainText(content),
  content,
  items: items ?? [],
})

/** What a turn says about so many stored entries, without what it asks for anew. */
const aboutStored = ({ moves }: Turn, stored: number): Turn => ({
  seen: 0,
  moves: moves.filter(move => 'of' in move && move.of <= stored),
})

/** `handedOver`: called with the id of an effect when a host gets the order to run it. */
export const createCodeSession = (
  self: Self,
  deps: TaskDeps,
  lookAgain: () => void,
  handedOver: (effectId: string) => void,
) => {
  const { view, ask } = self
  const { world, codeAgents } = deps
  let running: Running | undefined
  let recording: Promise<void> = Promise.resolve()
  let deaths = 0
  let floods = 0
  let silent = 0
  /** Whether the begin of the code may have ended its last host. */
  let isSuspect = false
  let cancelTimer: (() => void) | undefined
  let timerAt = Number.POSITIVE_INFINITY
  const stopping = new AbortController()
  const early = createEarlyOutcomes(self, world)

  const begin = (): Begin => {
    const { created, agentVersion = '' } = view
    if (created === undefined) throw new Error('the task has no TaskCreated event')
    const { task_id, session_id, user_id, agent, request } = created
    return {
      ...{ task: task_id, session: session_id, user: user_id, agent, version: agentVersion },
      input: inputOf(request),
      config: { ...request.agent_config },
      vars: (secretsOf(deps, created)?.env ?? {}) as Record<string, unknown>,
      seed: view.agentSeed,
      ...(deps.traceparentOf === undefined ? {} : { traceparent: deps.traceparentOf(created) }),
      at: view.agentStartedAt,
      entries: view.entries.map(({ do: what, name, digest }) => ({
        do: what,
        ...(name === undefined ? {} : { name }),
        digest,
      })),
      results: [...view.results],
    }
  }

  /** The chart of the agent, if the log does not have it yet. Readers of the task need it when its host is gone. */
  const newChart = ({ version }: Running): { chart?: unknown } => {
    const { agent = '', user_id = '' } = view.created ?? {}
    const known = codeAgents?.find(agent, user_id)
    const isIt = known?.version === version && (known.isOwn === true) === view.agentIsOwn
    const isNew = isIt && known.chart !== undefined
    return isNew && !isSameJson(known.chart, view.machine?.chart) ? { chart: known.chart } : {}
  }

  const end = (reason: Parameters<Lease['stop']>[0]) => {
    running?.lease.stop(reason)
    running = undefined
  }

  /** What is stored of a turn. While the server drains, nothing begins: what the code asks for anew is left to its next lease. */
  const storedOf = (mine: Running, turn: Turn): Turn => {
    const asksAnew = turn.moves.some(move => !('of' in move))
    if (deps.draining() && asksAnew) mine.isBehind = true
    return mine.isBehind ? aboutStored(turn, view.entries.length) : turn
  }

  /** Whether the code may go on with further results: the host has all before them, and nothing stops the task. */
  const mayGoOn = (mine: Running): boolean =>
    mine.hasBegun &&
    view.status === 'working' &&
    !(isPausing(view.state) || isCanceling(view.state) || deps.draining())

  /**
   * Gives the code the outcomes of a turn that has nothing else: they are stored with its next turn. Not while a command of the
   * task is under way, whose events may come first in the log.
   */
  const giveEarly = (mine: Running, turn: Turn): boolean => {
    if (self.isAtWork() || running !== mine || mine.isBehind || !mayGoOn(mine)) return false
    if (mine.given !== view.results.length + early.count()) return false
    const results = early.take(turn)
    if (results === undefined) return false
    mine.given += results.length
    mine.lease.results(results)
    return true
  }

  /** Stores a turn. When it cannot be stored, the lease ends, and another one begins with what is stored. */
  const record = async (mine: Running, given: Turn): Promise<void> => {
    if (running !== mine || view.created === undefined) return
    const turn = early.with(storedOf(mine, given))
    if (mine.isBehind && turn.moves.length === 0) return
    const reserved: (() => void)[] = []
    const agentStep = view.completedSteps + 1
    const { givenAt } = early
    const planning = {
      ...{ deps, view, created: view.created, agentStep },
      ...{ signal: stopping.signal, reserved, givenAt },
    }
    try {
      const planned = await planTurn(planning, turn)
      if (running !== mine) return
      const { seen, machine } = turn
      const more = machine === undefined ? {} : { machine: { ...machine, ...newChart(mine) } }
      const effectId = effectIdOf(view)
      await ask({ type: 'RecordTurn', agentStep, effectId, seen, ...planned, ...more, ...bySystem(view) })
      if (turn.moves.length > 0) deaths = 0
    } catch (error) {
      await early.store()
      if (running !== mine) return
      end('paused')
      if (error instanceof OddTurn) return fail(`the host of the agent breaks the protocol: ${error.message}`)
      world.timers.after(1000, lookAgain)
    } finally {
      for (const release of reserved) release()
    }
  }

  const fail = (message: string): void => {
    const error = { code: taskErrors.HostFailed.code, message }
    const command: TaskCommand = {
      type: 'RecordTurn',
      agentStep: view.completedSteps + 1,
      effectId: effectIdOf(view),
      seen: view.results.length,
      moves: [],
      end: { end: 'fail', error },
      itemIds: [...view.calls].map(() => world.ids.next('tr_')),
      ...bySystem(view),
    }
    void self.tell(command)
  }

  /** The lease of a host is over. Turns that came before are stored first. */
  const over = async (mine: Running, { why, message, unheard }: LeaseEnd): Promise<void> => {
    await early.store()
    if (running !== mine) return
    running = undefined
    isSuspect = unheard !== undefined
    const isKnown = unheard !== 'together'
    if (why === 'died' && isKnown) deaths++
    if (why === 'flooded') floods++
    if (isKnown) silent = why === 'lost' && isSuspect ? silent + 1 : 0
    if (why === 'unfit') fail(message)
    else if (silent >= mostSilent)
      fail(`${message} (${silent} times in a row, before the worker had answered)`)
    else if (deaths >= mostDeaths) fail(`${message} (the agent was tried ${deaths} times)`)
    else if (floods >= mostFloods) fail(`${message} (this has happened ${floods} times)`)
    else lookAgain()
  }

  const start = (): void => {
    const { created, agentVersion } = view
    if (created === undefined || agentVersion === undefined || codeAgents === undefined || deps.draining())
      return
    if (secretsOf(deps, created) === undefined) {
      sendToSelf(self, { type: 'PauseNow', reason: 'secret_missing' })
      return
    }
    const mine: Running = {
      lease: { results() {}, run() {}, rests() {}, stop() {} },
      ...{ hasBegun: false, version: agentVersion, given: 0, seen: 0 },
      ...{ isBehind: false, attempts: new Map() },
    }
    const isMine = () => running === mine
    const listener: LeaseListener = {
      begin() {
        mine.hasBegun = true
        mine.given = view.results.length
        return begin()
      },
      began(version) {
        if (!isMine()) return
        mine.version = version
        if (view.awaitsWorker) void self.tell({ type: 'AwaitWorker', over: true, ...bySystem(view) })
        tellRuns(mine)
      },
      turn: turn => {
        mine.seen = turn.seen
        recording = recording.then(() => (giveEarly(mine, turn) ? undefined : record(mine, turn)))
        return recording
      },
      over(ended) {
        mine.hasBegun = false // nothing more reaches the host
        recording = recording.then(() => over(mine, ended))
      },
      history: async () => (await firstSeen(deps.log.readStream, view)).items,
    }
    running = mine
    const asked = {
      agent: created.agent,
      version: agentVersion,
      isOwn: view.agentIsOwn,
      user: created.user_id,
      task: created.task_id,
      isSuspect,
    }
    mine.lease = codeAgents.lease(asked, listener)
    world.timers.after(waitMs, () => {
      const waits =
        isMine() && !mine.hasBegun && !codeAgents.isServed(created.agent, created.user_id, view.agentIsOwn)
      if (waits) void self.tell({ type: 'AwaitWorker', ...bySystem(view) })
    })
  }

  /** Tells the host to run the side effects whose intents are stored. A safe one it runs by itself. */
  const tellRuns = ({ lease, hasBegun, attempts }: Running): void => {
    if (!hasBegun) return
    for (const { kind, callId, effect } of openCalls(view)) {
      const n = view.entryOf.get(callId) ?? 0
      if (kind !== 'run' || effect.safe || attempts.get(n) === effect.attempt) continue
      attempts.set(n, effect.attempt)
      handedOver(effect.id)
      lease.run(n)
    }
  }

  const giveResults = (mine: Running): void => {
    // While a pause waits for calls that run, or the server drains, the code makes no further ones.
    if (!mine.hasBegun || mine.given >= view.results.length || isPausing(view.state) || deps.draining())
      return
    const news = view.results.slice(mine.given)
    mine.given = view.results.length
    mine.lease.results(news)
  }

  /** The earliest timer of the open entries. */
  const nextTimer = () => {
    let first: { n: number; until: number } | undefined
    for (const { callId, ended } of view.calls.values()) {
      const n = view.entryOf.get(callId)
      const until = n === undefined ? undefined : view.entries[n - 1]?.until
      if (
        ended === false &&
        n !== undefined &&
        until !== undefined &&
        until < (first?.until ?? Number.POSITIVE_INFINITY)
      )
        first = { n, until }
    }
    return first
  }

  const followTimers = (): void => {
    const next = nextTimer()
    // The timer serves all entries that end at this time.
    if (next === undefined || next.until !== timerAt) {
      cancelTimer?.()
      cancelTimer = undefined
      timerAt = Number.POSITIVE_INFINITY
    }
    if (next === undefined || cancelTimer !== undefined) return
    timerAt = next.until
    const wait = Math.min(longestTimerMs, Math.max(0, next.until - world.clock.now()))
    cancelTimer = world.timers.after(wait, () => {
      cancelTimer = undefined
      timerAt = Number.POSITIVE_INFINITY
      const due = nextTimer()
      if (due === undefined || due.until > world.clock.now()) return followTimers()
      void self.tell({ type: 'EndWait', n: due.n, itemId: world.ids.next('tr_'), ...bySystem(view) })
    })
  }

  return {
    /** The code runs: a lease is asked for, and the host gets what is new. */
    follow(): void {
      if (running === undefined) start()
      if (running !== undefined) {
        running.lease.rests(false)
        giveResults(running)
        tellRuns(running)
      }
      followTimers()
    },
    /** The task waits. A lease that a host has stays until another task needs its slot, since the wait may be short. */
    rest(): void {
      if (running !== undefined) {
        giveResults(running)
        running.lease.rests(running.hasBegun && running.seen === view.results.length)
      }
      followTimers()
    },
    /** Whether the host has the order to run a side effect, in its newest attempt. */
    isRunning: (callId: string): boolean => {
      const n = view.entryOf.get(callId) ?? 0
      const attempt = view.calls.get(callId)?.effect?.attempt
      return attempt !== undefined && running?.attempts.get(n) === attempt
    },
    first: early.first,
    end,
    stop(): void {
      stopping.abort()
      early.forget()
      cancelTimer?.()
      end('rest')
    },
  }
}
export type CodeSession = ReturnType<typeof createCodeSession>
