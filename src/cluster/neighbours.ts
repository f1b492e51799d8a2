// Keeps what this node has found out about other nodes when they spoke with each other: how their settings and clocks
// differ from those here, and whether two processes have one name. What is not found again for a while is over.
import type { Clock, Timers } from '../contract/ports.ts'
import type { ConditionCode, Conditions } from './conditions.ts'
import { aheadInWords } from './gateway/answers.ts'
import { compare, type Introduction } from './introduction.ts'

const codes = ['settings-differ', 'settings-clash', 'clock-differs', 'name-taken'] as const
type Code = (typeof codes)[number] & ConditionCode

/** What was found counts for this many milliseconds. A standby asks several times a second. */
const countsMs = 10_000
/** For this many milliseconds after a node has asked in time, an old question of it counts as one that was kept back. */
const agreedMs = 2000
/**
 * Two processes have one name when signs of it have come for this many milliseconds, with no longer pause than this. A
 * process that was killed and started again looks like two for up to 2.4 s.
 */
const surelyMs = 3000
const pauseMs = 1500
/** Milliseconds between two looks at what does not count any more. */
const lookMs = 1000

type Deps = {
  me: Introduction
  conditions: Pick<Conditions, 'begin' | 'end'>
  clock: Clock
  timers: Timers
}

export const createNeighbours = ({ me, conditions, clock, timers }: Deps) => {
  /** By code, then by the name of the other node. */
  const found = new Map<Code, Map<string, { text: string; at: number }>>(codes.map(code => [code, new Map()]))
  const agreed = new Map<string, number>()
  const differing = new Map<string, string[]>()
  /** By name: when the signs of two processes began to come, and when the newest one came. */
  const signs = new Map<string, { first: number; last: number }>()

  const settle = (code: Code): void => {
    const texts = [...(found.get(code)?.values() ?? [])].map(({ text }) => text)
    if (texts.length > 0) conditions.begin(code, texts.join('; '))
    else conditions.end(code)
  }
  const note = (code: Code, node: string, text: string | undefined): void => {
    if (text === undefined) found.get(code)?.delete(node)
    else found.get(code)?.set(node, { text, at: clock.now() })
    settle(code)
  }
  const forget = (): void => {
    for (const [code, nodes] of found) {
      for (const [node, { at }] of nodes) if (clock.now() - at > countsMs) nodes.delete(node)
      settle(code)
    }
    for (const node of differing.keys()) if (!found.get('settings-differ')?.has(node)) differing.delete(node)
  }
  const timely = (node: string): void => {
    agreed.set(node, clock.now())
    note('clock-differs', node, undefined)
  }
  return {
    /** Called when another node has introduced itself, in a message that came in time. */
    met(theirs: Introduction): void {
      timely(theirs.node)
      const { difference, clash, differing: names } = compare(me, theirs)
      note('settings-differ', theirs.node, difference)
      note('settings-clash', theirs.node, clash)
      if (difference === undefined) differing.delete(theirs.node)
      else differing.set(theirs.node, names)
    },
    /** Called when a message has shown that the clock of another node is too far ahead of the clock here, or behind it. */
    untimely(node: string, aheadMs: number): void {
      if (clock.now() - (agreed.get(node) ?? Number.NEGATIVE_INFINITY) < agreedMs) return
      note(
        'clock-differs',
        node,
        `the clock of the node ${node} is ${aheadInWords(aheadMs)} that of this node, ${me.node}: set the clocks of both, for example with NTP`,
      )
    },
    /** Called at each sign that two processes have this name. */
    namesake(name: string): void {
      const now = clock.now()
      const before = signs.get(name)
      const first = before !== undefined && now - before.last <= pauseMs ? before.first : now
      signs.set(name, { first, last: now })
      if (now - first < surelyMs) return
      note(
        'name-taken',
        name,
        `two processes have the name ${name}: set NODE_NAME of one of them to another name, and start it again`,
      )
    },
    /** By node: the variables that are set to another value there than here. */
    differing: (): Record<string, string[]> => Object.fromEntries(differing),
    stop: timers.every(lookMs, forget),
  }
}
export type Neighbours = ReturnType<typeof createNeighbours>
