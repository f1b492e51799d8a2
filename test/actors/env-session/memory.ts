// Environments in memory, one for each level of recovery: a sum, and numbers drawn by seed and step.
import {
  EnvironmentGone,
  type Instance,
  type OpenObject,
  type StepAnswer,
} from '../../../src/contract/environment.ts'
import type { ToolDefinition } from '../../../src/contract/wire.ts'
import type { Refusal } from '../../../src/environments/registry.ts'
import type { SystemDeps } from '../../../src/shard/system.ts'

export type Sum = { total: number; drawn: number[]; at: number[] }
const tool = (name: string, properties: OpenObject = {}): ToolDefinition => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties, required: Object.keys(properties) } },
})
export const tools = [
  tool('add', { by: { type: 'integer' } }),
  tool('draw'),
  tool('end'),
  tool('die'),
  tool('fail'),
  tool('creep'),
]

/** What the step of this number draws. */
export const drawnBy = (seed: number, number: number): number => (seed * 31 + number * 17) % 1000

export const memoryEnvironments = () => {
  /** Everything that was ever done, whatever the log knows of it. */
  const happened: string[] = []
  let alive = 0
  /** Ends an open instance, for each. */
  const living = new Set<(why: string) => void>()
  let digest = 'one'
  let refusal: Refusal | undefined
  let hold: { began: () => void; go: Promise<void> } | undefined

  const open = (
    recovery: Instance['recovery'],
    kwargs: OpenObject,
    values: Record<string, string>,
  ): Instance => {
    let seen: Sum = { total: 0, drawn: [], at: [] }
    let done = false
    let over: string | undefined
    let tellGone = (_reason: string) => {}
    const gone = new Promise<string>(resolve => {
      tellGone = resolve
    })
    const copy = () => ({ ...structuredClone(seen), secrets: Object.keys(values).length })
    const observed = () => ({ state: copy(), tools, done })
    const mustLive = () => {
      if (over !== undefined) throw new EnvironmentGone(over)
    }
    alive++
    const end = (why: string) => {
      if (over !== undefined) return
      over = why
      alive--
      living.delete(end)
      tellGone(why)
    }
    living.add(end)
    const step = async (
      { tool: name, args, seed, number, now }: Parameters<Instance['step']>[0],
      signal: AbortSignal,
    ): Promise<StepAnswer> => {
      mustLive()
      const answer = { content: name, blocks: [], reward: 0, terminated: false, truncated: false, info: {} }
      const failed = (error: string) => ({
        ...answer,
        ...observed(),
        status: 'incomplete' as const,
        observation: copy(),
        error,
      })
      // As the service does: what is stopped before it begins is not asked for.
      if (signal.aborted) return failed('it was told to stop')
      happened.push(`${name} ${number}`)
      if (name === 'creep') seen.total++ // before it can be stopped
      if (hold !== undefined) {
        const { began, go } = hold
        began()
        const stopped = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
        await Promise.race([go, stopped, gone])
        mustLive()
      }
      if (signal.aborted) return failed('it was told to stop')
      if (name === 'fail') return failed('it failed')
      if (name === 'die') {
        end('it died')
        mustLive()
      }
      if (name === 'add') seen.total += Number(args.by)
      if (name === 'draw') {
        seen.drawn.push(drawnBy(seed, number))
        seen.at.push(now)
      }
      if (name === 'end') done = true
      return { ...answer, ...observed(), status: 'completed', observation: copy(), terminated: done }
    }
    return {
      recovery,
      showsObservation: false,
      gone,
      async reset({ options }) {
        mustLive()
        if (options.broken === true) throw new Error('such a reset is not possible')
        seen = { total: Number(options.total ?? kwargs.total ?? 0), drawn: [], at: [] }
        done = false
        return { ...observed(), observation: copy() }
      },
      step: (given, { signal }) => step(given, signal),
      async observe() {
        mustLive()
        return observed()
      },
      async snapshot() {
        mustLive()
        return recovery === 'snapshot' ? structuredClone({ seen, done }) : undefined
      },
      async restore(data) {
        ;({ seen, done } = structuredClone(data as { seen: Sum; done: boolean }))
      },
      async close() {
        end('it was closed')
      },
    }
  }

  const environments: SystemDeps['environments'] = {
    async resolve(_envId, classPath = 'refold') {
      if (refusal !== undefined) return refusal
      if (!['refold', 'snapshot', 'none'].includes(classPath))
        return { refused: 'unknown', message: classPath }
      const source = { name: classPath, module: `${classPath}.mjs`, className: 'Sum', digest }
      return { source, recovery: classPath as Instance['recovery'], parameters: {} }
    },
    async open({ name }, { kwargs, env_vars }) {
      return open(name as Instance['recovery'], kwargs, env_vars)
    },
    list: async () => [],
    info: async () => [],
  }
  return {
    environments,
    happened,
    alive: () => alive,
    /** Changes the file of every environment, or puts the earlier one back. */
    change: (to = 'two') => {
      digest = to
    },
    /** From now on no environment is found; undefined: all are found again. */
    refuse: (why: Refusal | undefined) => {
      refusal = why
    },
    /** Ends every open instance, as the operating system does when memory is short. */
    killAll: () => {
      for (const kill of [...living]) kill('it was killed')
    },
    /** From now on a step waits until `go`; `begun` resolves when one has come so far. */
    hold() {
      let go = () => {}
      let begun = () => {}
      const hasBegun = new Promise<void>(resolve => {
        begun = resolve
      })
      hold = {
        began: begun,
        go: new Promise<void>(resolve => {
          go = resolve
        }),
      }
      return {
        begun: hasBegun,
        go() {
          hold = undefined
          go()
        },
      }
    },
  }
}
