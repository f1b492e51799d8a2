// What tools do outside, where no rollback reaches: it outlives the systems that are killed over it.
import type { Tool } from '../../../src/contract/tools.ts'
import { tool } from '../../support/tools.ts'
import type { TestWorld } from '../../support/world.ts'

export type Happened = { tool: string; effectId: string; run: number }
export type Outside = {
  /** What happened, in order. */
  happened: Happened[]
  /** Runs that began, and those that were stopped by their signal. */
  begun: Happened[]
  stopped: Happened[]
  /** A side effect of an agent's own code. `effectId` tells it from others. */
  act(effectId: string): string
  /** The tools that do it, on the timers of one world. */
  tools(world: TestWorld): Tool[]
}

const takesMs = 30

/**
 * `pay` and `note` act as soon as they run, `ship` only at the end; `hang` acts at once and ends when it is stopped;
 * `deaf` acts at once and never ends, `slow` ends in its own time: they do not look at their signal. Only `note` is safe. `happened`: what is there already.
 */
export const outsideWorld = (happened: Happened[] = []): Outside => {
  const begun: Happened[] = []
  const stopped: Happened[] = []
  let runs = 0
  const kinds = {
    pay: { acts: 'first', ms: takesMs, safe: false, hears: true },
    ship: { acts: 'last', ms: takesMs, safe: false, hears: true },
    note: { acts: 'first', ms: takesMs, safe: true, hears: true },
    hang: { acts: 'first', ms: 1e9, safe: false, hears: true },
    slow: { acts: 'first', ms: 400, safe: false, hears: false },
    deaf: { acts: 'first', ms: 1e9, safe: false, hears: false },
  } as const
  const make = (world: TestWorld, name: keyof typeof kinds): Tool => {
    const { acts, ms, safe, hears } = kinds[name]
    return tool(name, {
      safe,
      run: async ({ effectId, signal }) => {
        const mine = { tool: name, effectId, run: ++runs }
        begun.push(mine)
        if (acts === 'first') happened.push(mine)
        await new Promise<void>((resolve, reject) => {
          const forget = world.timers.after(ms, resolve)
          const stop = () => {
            forget()
            stopped.push(mine)
            reject(new Error('stopped'))
          }
          if (hears) signal.addEventListener('abort', stop)
        })
        if (acts === 'last') happened.push(mine)
        return { content: `${name} done` }
      },
    })
  }
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  const act = (effectId: string) => {
    happened.push({ tool: 'own', effectId, run: ++runs })
    return `${effectId} done`
  }
  return { happened, begun, stopped, act, tools: world => names.map(name => make(world, name)) }
}

/** Happenings of tools that must not be repeated, counted by effect. */
export const unsafeCounts = ({ happened }: Pick<Outside, 'happened'>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { tool: name, effectId } of happened) {
    if (name !== 'note') counts.set(effectId, (counts.get(effectId) ?? 0) + 1)
  }
  return counts
}
