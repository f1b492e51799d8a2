// What must be true of a cluster after any faults: every acknowledged task is there once and has ended, no effect has
// happened twice, and each follower has every public event once, in order.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { statesOfCopies } from '../../src/cluster/nats/monitors.ts'
import type { PublicEvent } from '../../src/contract/events/public-events.ts'
import { mustBeLawful } from '../history/public-lawful.ts'
import type { Cluster } from '../support/cluster.ts'
import type { Node } from '../support/cluster-node.ts'
import { pause } from '../support/http.ts'
import { eventOf, type Follower, type Heard, readEvents } from './cluster-followers.ts'
import { type Acknowledged, type Load, traces } from './cluster-load.ts'
import { eventsStream } from './cluster-nats-followers.ts'

type Listed = { id: string; session_id: string; status: string; metadata?: { effect?: { call_id: string } } }

const ends = new Set(['completed', 'canceled', 'expired', 'failed'])
const pageSize = 100
/** The most milliseconds after the last fault for which tasks may go on, or followers get none of the events that they miss. */
const patienceMs = 60_000
/** Milliseconds between two looks at followers that are behind. */
const lookMs = 200

const answered = async <T>(asked: Promise<Response>): Promise<T> => {
  const answer = await asked
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

/** All tasks, newest first. */
const listed = async ({ api }: Node): Promise<Listed[]> => {
  const all: Listed[] = []
  for (;;) {
    const after = all.length === 0 ? '' : `&starting_after=${all.at(-1)?.id}`
    const path = `/tasks?fields=summary&limit=${pageSize}${after}`
    const { result } = await answered<{ result: Listed[] }>(api('GET', path))
    all.push(...result)
    if (result.length < pageSize) return all
  }
}

/** Supplies the result of each call whose outcome is unknown. Resolves when all tasks have ended. */
const settle = async (node: Node): Promise<{ tasks: Listed[]; unknown: number }> => {
  const given = new Set<string>()
  for (const until = performance.now() + patienceMs; ; await pause(50)) {
    const tasks = await listed(node)
    for (const { id, status, metadata } of tasks) {
      if (status !== 'paused' || given.has(id)) continue
      given.add(id)
      const result = { call_id: metadata?.effect?.call_id, message_content: 'looked up by hand' }
      await answered(node.api('POST', `/tasks/${id}/input`, { tool_results: [result] }))
    }
    if (tasks.every(({ status }) => ends.has(status)) || performance.now() > until)
      return { tasks, unknown: given.size }
  }
}

const once = (what: string, all: string[]): string[] => {
  const seen = new Set<string>()
  return all.flatMap(one => (seen.size === seen.add(one).size ? [`${what} ${one} is there twice`] : []))
}

const tasksMissing = (tasks: Listed[], acknowledged: Map<string, Acknowledged>): string[] => {
  const there = new Map(tasks.map(task => [task.id, task]))
  return [...acknowledged].flatMap(([key, { id }]) => {
    const task = there.get(id)
    if (task === undefined) return [`${key}: its task ${id} is lost`]
    return task.status === 'completed' ? [] : [`${key}: its task ${id} is ${task.status}`]
  })
}

/** By session: how often the effect of its task has happened. */
const effectsIn = (folder: string): Map<string, number> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter(file => path.basename(file) === traces)
      .map(file => {
        const lines = readFileSync(path.join(folder, file), 'utf8').split('\n').length - 1
        return [path.basename(path.dirname(file)), lines]
      }),
  )

/** `unknown`: how many calls had an unknown outcome; each of them may have happened or not. */
const wrongEffects = (folder: string, acknowledged: Map<string, Acknowledged>, unknown: number): string[] => {
  const effects = effectsIn(folder)
  const wanted = [...acknowledged.values()].filter(({ hasEffect }) => hasEffect)
  const missing = wanted.filter(({ session }) => !effects.has(session))
  return [
    ...[...effects].flatMap(([session, times]) =>
      times > 1 ? [`${session}: its effect happened ${times} times`] : [],
    ),
    ...(missing.length > unknown
      ? [`${missing.length} effects did not happen, but only ${unknown} outcomes were unknown`]
      : []),
  ]
}

/** `all`: what one fresh reading has found. */
const flawsOf = ({ name, heard }: Pick<Follower, 'name' | 'heard'>, all: Heard[]): string[] => {
  const wrong = heard.findIndex(({ id, data }, n) => all[n]?.id !== id || all[n]?.data !== data)
  if (wrong >= 0)
    return [`${name}: its event ${wrong} is ${JSON.stringify([heard[wrong - 1], heard[wrong], all[wrong]])}`]
  return heard.length === all.length ? [] : [`${name}: has ${heard.length} events of ${all.length}`]
}

const lawlessTasks = (all: Heard[]): string[] => {
  const byTask = new Map<string, PublicEvent[]>()
  for (const event of all.map(eventOf)) {
    const id = String(event.task_id)
    byTask.set(id, [...(byTask.get(id) ?? []), event])
  }
  return [...byTask].flatMap(([id, events]) => {
    try {
      mustBeLawful(events)
      return []
    } catch (error) {
      return [`events of ${id}: ${(error as Error).message}`]
    }
  })
}

/** How many events the NATS servers have in their copies of the stream, all together. A copy may be filled for minutes. */
const copied = async ({ nats }: Cluster): Promise<number> => {
  const copies = await statesOfCopies(nats.monitorUrls, eventsStream)
  return copies.reduce((sum, copy) => sum + ('last' in copy ? copy.last : 0), 0)
}

/**
 * Resolves when all followers have `count` events. It gives up when, for `patienceMs`, no follower that lacks events has got a
 * message, and no copy has grown.
 */
const caughtUp = async (cluster: Cluster, followers: Follower[], count: number): Promise<void> => {
  const behind = () => followers.filter(({ heard }) => heard.length < count)
  const moved = async () =>
    behind().reduce((sum, follower) => sum + follower.taken(), 0) + (await copied(cluster))
  let [last, at] = [await moved(), performance.now()]
  while (behind().length > 0 && performance.now() - at < patienceMs) {
    await pause(lookMs)
    const now = await moved()
    if (now !== last) [last, at] = [now, performance.now()]
  }
}

/** Judges a cluster that is whole, after its load has stopped. Ends the followers. */
export const verdictOf = async (cluster: Cluster, load: Load, followers: Follower[]) => {
  const owner = await cluster.owner()
  const { tasks, unknown } = await settle(owner)
  const ended = new Set<string>()
  let looked = 0
  const all = await readEvents(owner, heard => {
    for (; looked < heard.length; looked++) {
      const event = eventOf(heard[looked] as Heard)
      if (event.type === 'TaskStatusChanged' && ends.has(event.new_status)) ended.add(event.task_id)
    }
    return tasks.every(({ id }) => ended.has(id))
  })
  await caughtUp(cluster, followers, all.length)
  await Promise.all(followers.map(follower => follower.stop()))
  const { acknowledged } = load
  const known = new Set([...acknowledged.values()].map(({ id }) => id))
  return {
    tasks: tasks.length,
    events: all.length,
    unknown,
    problems: [
      ...load.problems,
      ...once(
        'task',
        tasks.map(({ id }) => id),
      ),
      ...once(
        'the task of',
        tasks.map(({ session_id }) => session_id),
      ),
      ...tasksMissing(tasks, acknowledged),
      ...tasks.flatMap(({ id }) => (known.has(id) ? [] : [`${id} was acknowledged to nobody`])),
      ...wrongEffects(path.join(cluster.folder, 'workspace'), acknowledged, unknown),
      ...followers.flatMap(follower => flawsOf(follower, all)),
      ...lawlessTasks(all),
    ],
  }
}
