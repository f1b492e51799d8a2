// Carries out each request once: a request that repeats an earlier one gets what that one made. One function for
// everything that requests make: tasks, forks, messages, cron jobs, runs, webhooks, sessions.
//
//   request ── waits while one with the same key is under way (locks.ts)
//      │
//      ├─ has a key ───── the table of requests: made under this key in the last day?
//      │                    yes, same body → that one    yes, other body → Conflict    no ↓
//      ├─ names the thing, such as `task_id` ── there already? → that one
//      ├─ marked as a retry, no key ── an equal request of the last ten minutes whose answer was lost
//      │                               (lost-answers.ts)? → that one
//      └─ otherwise ──── `make`, whose event stores principal, key and digest, so the table has them
//
// A surface says its scope, what it digests, and how it finds the earlier answer (`Finding`). Keys and digests are in the
// log. Only this memory knows which requests are under way, and which answers did not arrive.
//
// Steps and resets of a session do not come here. They make no new thing: the session itself knows their keys, and finds
// the earlier answer in the turn in which it would decide the request (`takenAt` in src/history/env-session.ts). So they
// go on while the read models are behind.
import { createCurrent, type Reading } from '../../projections/current.ts'
import { createRequestRows, type RequestPlace } from '../../projections/requests/rows.ts'
import type { ReadStore } from '../../projections/store.ts'
import { aboutRequest } from '../../projections/topics.ts'
import type { Principal } from '../contract/events/token-events.ts'
import type { Clock } from '../contract/ports.ts'
import { Refusal } from '../contract/refusals.ts'
import { type FailingLog, mayBeStored } from '../contract/stored.ts'
import { createLocks } from './locks.ts'
import { createLostAnswers, type Thing } from './lost-answers.ts'

// Asks the table of requests, when it holds every event that concerns the question.

const createRequests = (store: ReadStore, projector: Reading) => {
  const { currentOn } = createCurrent(projector)
  const rows = createRequestRows(store)
  return {
    byKey: (place: RequestPlace, key: string) =>
      currentOn(aboutRequest(place, key), () => rows.byKey(place, key)),
    byBody: (place: RequestPlace, digest: string, since: number) =>
      currentOn(aboutRequest(place, ''), () => rows.byBody(place, digest, since)),
  }
}

/** The answer of one request on its way to the caller. */
export type Delivery = {
  /** Calls `hear` when it is known whether the answer was handed over whole; at once if it is known already. */
  onEnd(hear: (whole: boolean) => void): void
}

/** What a request says about its earlier tries: its key, and whether it is marked as a retry. */
export type Retry = { key?: string | undefined; isRetry: boolean }

/** One try of a request that is answered once. */
export type Attempt = Retry & { delivery: Delivery }

export type Call = {
  scope: string
  principal: string
  /** The `Idempotency-Key`. */
  key: string | undefined
  /** The digest of everything in the body that must be equal in a repeated request. */
  digest: string
  /** Whether the client marks the request as a retry (`x-stainless-retry-count` > 0). */
  isRetry: boolean
  /** The id of what the request is about to make, and its answer. Absent: the caller calls `lost` itself. */
  answer?: { id: string; delivery: Delivery }
}

/** The call of a request that is about to make something of its own. `id`: the id that it would give to it. */
export const callOf = (
  scope: string,
  { id: principal }: Principal,
  digest: string,
  { key, isRetry, delivery }: Attempt,
  id: string,
): Call => ({ scope, principal, key, digest, isRetry, answer: { id, delivery } })

/** How a surface finds what an earlier request made. Without these, the table of requests alone decides. */
export type Finding = {
  /** Called with what the request with this key made. Throws when it is gone. */
  mustBeThere?(id: string): void
  /** The name that the request gives to what it makes. `find` throws when the name is taken by another request. */
  name?: { text: string; find(): Thing | undefined } | undefined
  /** What a marked retry without a key gets. Absent: what the only equal request made, or the newest whose answer was lost. */
  byBody?(equal: Equal): Thing | undefined
}

/** `stored`: what equal requests without a key made since that time, as the table has it, oldest first. */
type Equal = { since: number; stored(): Thing[]; isLost(thing: Thing): boolean }

/** For this many milliseconds, a request with a key finds what the first request with this key made. */
const keyLivesMs = 24 * 3600 * 1000
/** For this many milliseconds, a marked retry without a key finds what was made. For a task, they begin at its end. */
const bodyLivesMs = 600 * 1000

const onlyOrLost = ({ stored, isLost }: Equal): Thing | undefined => {
  const twins = stored()
  return twins.length <= 1 ? twins[0] : twins.findLast(isLost)
}

type Deps = { store: ReadStore; projector: Reading; log: FailingLog & { head(): number }; clock: Clock }

export const createOnce = ({ store, projector, log, clock }: Deps) => {
  const requests = createRequests(store, projector)
  const locks = createLocks()
  const lost = createLostAnswers(log.head())

  const earlier = (call: Call, finding: Finding): Thing | undefined => {
    const { scope, key, digest, isRetry } = call
    const known = key === undefined ? undefined : requests.byKey(call, key)
    if (known !== undefined && known.time + keyLivesMs > clock.now()) {
      if (known.digest !== digest) throw new Refusal('Conflict', { idempotency_key: key })
      finding.mustBeThere?.(known.id)
      return known
    }
    const named = finding.name?.find()
    if (named !== undefined || key !== undefined || !isRetry) return named
    const since = clock.now() - bodyLivesMs
    const stored = () => requests.byBody(call, digest, since)
    return (finding.byBody ?? onlyOrLost)({ since, stored, isLost: thing => lost.has(scope, thing) })
  }

  /** Finds the earlier thing and claims its answer at once, so that no other retry of the same moment gets it. */
  const claimed = (call: Call, finding: Finding): Thing | undefined => {
    const found = earlier(call, finding)
    if (found !== undefined) lost.claim(call.scope, found)
    return found
  }

  /** The names under which only one request at a time may run, and the name of its body. */
  const namesOf = ({ scope, principal, key, digest }: Call, { name }: Finding) => ({
    named: [
      ...(key === undefined ? [] : [`key ${scope} ${principal} ${key}`]),
      ...(name === undefined ? [] : [`name ${scope} ${name.text}`]),
    ],
    body: `body ${scope} ${principal} ${digest}`,
  })

  /**
   * What ends before it is known what earlier requests with these names made. A failed write of one of them may have stored its
   * events all the same: the tables have them when the log is open again.
   */
  const waitFor = (names: readonly string[]): Promise<unknown> | undefined =>
    locks.busy(names) ?? (log.isFailing() ? log.opened() : undefined)

  const run = async <Made>(
    call: Call,
    make: () => Promise<Made>,
    finding: Finding,
  ): Promise<{ made: Made } | { replay: string }> => {
    const { named, body } = namesOf(call, finding)
    const keys = [...named, body]
    // Only a retry waits for a request with the same body. An equal request that is not marked as a retry is a new one.
    const waitsFor = call.isRetry ? keys : named
    // After these waits nothing is awaited until the keys are locked.
    for (let wait = waitFor(waitsFor); wait !== undefined; wait = waitFor(waitsFor)) await wait
    const found = claimed(call, finding)
    if (found !== undefined) return { replay: found.id }
    const made = make()
    const unlock = locks.lock(keys, made)
    try {
      return { made: await made }
    } finally {
      unlock()
    }
  }

  return {
    /** Runs `make`, or resolves to the id of what an earlier request made. Throws Conflict for a key of another body. */
    async once<Made>(
      call: Call,
      make: () => Promise<Made>,
      finding: Finding = {},
    ): Promise<{ made: Made } | { replay: string }> {
      const { scope, answer } = call
      const done = await run(call, make, finding).catch(error => {
        if (answer !== undefined && mayBeStored(error)) lost.add(scope, answer.id)
        throw error
      })
      const id = 'replay' in done ? done.replay : answer?.id
      answer?.delivery.onEnd(whole => {
        if (!whole && id !== undefined) lost.add(scope, id)
      })
      return done
    },
    /** Whether an earlier request with this key made something. Throws Conflict for a key of another body. */
    async isKnown(call: Call): Promise<boolean> {
      const { named } = namesOf(call, {})
      for (let wait = waitFor(named); wait !== undefined; wait = waitFor(named)) await wait
      return earlier(call, {}) !== undefined
    },
    /** The answer to the request that made this thing did not arrive whole. */
    lost: lost.add,
  }
}
export type Once = ReturnType<typeof createOnce>
