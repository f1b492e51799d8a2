// Holds the one environment instance of this process, and runs the methods of the protocol on it.

import path from 'node:path'
import type { Environment, OpenObject, StepContext, StepResult } from '../../contract/environment.ts'
import { readJson } from '../../contract/json/exact-json.ts'
import type { MessageContent } from '../../contract/wire.ts'
import { randomFrom } from '../../platform/seeded-random.ts'
import { maxContent } from '../cut.ts'
import { isObject, temporary } from '../protocol.ts'
import { jsonOf, messageOf } from './json.ts'
import type { Loaded } from './load.ts'

/** The random numbers of a step. */
export const randomOf = (seed: number, number: number): (() => number) => randomFrom(`${seed}/${number}`)

// Cuts the output of a step so that it fits in a line of the protocol. The service then cuts it to its exact length in
// bytes and marks the cut.

const longest = maxContent + 1 // one character more shows the service that the output was longer

const within = (content: MessageContent): MessageContent => {
  if (typeof content === 'string') return content.slice(0, longest)
  if (!Array.isArray(content)) return content
  return content.map(part => {
    if (typeof part === 'string') return part.slice(0, longest)
    if (!isObject(part) || !('text' in part)) return part
    return { ...part, text: String(part.text).slice(0, longest) }
  })
}

/** Sends only as much output as the service keeps. */
const outputOf = (send: (text: string) => void): ((text: unknown) => void) => {
  let room = longest
  return output => {
    const text = String(output).slice(0, room)
    room -= text.length
    if (text !== '') send(text)
  }
}

const withoutUndefined = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** `reset` also gets a third argument: the random numbers and the time of step 0. */
type Instance = Omit<Environment, 'reset'> & {
  reset(seed: number, options: OpenObject, context: Pick<StepContext, 'random' | 'now'>): unknown
}
type CreateParams = { class: string; kwargs: OpenObject; env_vars: Record<string, string>; dir: string }
type ResetParams = { seed: number; options: OpenObject; now: number }
type StepParams = {
  tool: string
  args: OpenObject
  seed: number
  number: number
  now: number
  env_vars: Record<string, string>
}
/** Resolves with the result as JSON. `id` is the number of the request. */
export type Run = (params: never, id: number) => Promise<string>

/** Makes the instance's own folder the working folder, also for the processes that the instance starts. */
const moveInto = (dir: string) => {
  process.chdir(dir)
  process.env.HOME = dir
  process.env.TMPDIR = path.join(dir, temporary)
}

const newestOf = async (instance: Instance) => ({
  state: await instance.observe(),
  tools: await instance.tools(),
})

const stepResultOf = async (instance: Instance, result: StepResult) => {
  const { content, observation, state, reward, terminated, truncated, info, blocks } = result
  return {
    ...withoutUndefined({
      content: within(content),
      observation,
      reward,
      terminated,
      truncated,
      info,
      blocks,
    }),
    state: state ?? (await instance.observe()),
    tools: await instance.tools(),
  }
}

const takeStep = async (instance: Instance, { tool, args }: StepParams, context: StepContext) => {
  try {
    const result: unknown = await instance.step(tool, args, context)
    if (typeof result !== 'object' || result === null) throw new Error('the step gave no result')
    return jsonOf(await stepResultOf(instance, result as StepResult))
  } catch (error) {
    // A failed step may have changed the state, so the newest state is sent with the error, if it can be read.
    const newest = await newestOf(instance)
      .then(jsonOf)
      .catch(() => '{}')
    return jsonOf({ ...(readJson(newest) as object), error: messageOf(error) })
  }
}

export const createHosted = (classes: Loaded[], send: (text: string) => void) => {
  let created: Instance | undefined
  let running: { id: number; controller: AbortController } | undefined

  const instance = (): Instance => {
    if (created === undefined) throw new Error('nothing was created')
    return created
  }
  const methods: Record<string, Run> = {
    async create({ class: name, kwargs, env_vars, dir }: CreateParams) {
      const loaded = classes.find(one => one.name === name)
      if (loaded === undefined) throw new Error(`there is no class ${name}`)
      moveInto(dir)
      created = new loaded.Class(kwargs, { env_vars, dir }) as Instance
      return '{}'
    },
    async reset({ seed, options, now }: ResetParams) {
      const context = { random: randomOf(seed, 0), now: () => now }
      const observation = await instance().reset(seed, options, context)
      return jsonOf({ ...(await newestOf(instance())), ...withoutUndefined({ observation }) })
    },
    async step(params: StepParams, id) {
      const controller = new AbortController()
      running = { id, controller }
      const emit = outputOf(text => {
        if (running?.id === id) send(jsonOf({ method: 'output', params: { id, text } }))
      })
      const { seed, number, now, env_vars } = params
      const context = {
        emit,
        signal: controller.signal,
        random: randomOf(seed, number),
        now: () => now,
        env_vars: Object.freeze(env_vars),
      }
      try {
        return await takeStep(instance(), params, context)
      } finally {
        running = undefined
      }
    },
    async observe() {
      return jsonOf(await newestOf(instance()))
    },
    async snapshot({ keep_old = false }: { keep_old?: boolean }) {
      const leftOut: string[] = []
      const context = { leaveOut: (what: string) => void leftOut.push(String(what)), keepOld: keep_old }
      const data = await instance().snapshot?.(context)
      return jsonOf(withoutUndefined({ data, left_out: leftOut.length === 0 ? undefined : leftOut }))
    },
    async restore({ data }: { data: unknown }) {
      await instance().restore?.(data)
      return '{}'
    },
    async close() {
      await created?.close?.()
      return '{}'
    },
  }
  return {
    methodOf: (name: string): Run | undefined => (Object.hasOwn(methods, name) ? methods[name] : undefined),
    /** Aborts the step of this request if it still runs. */
    stopStep(id: unknown): void {
      if (running?.id === id) running?.controller.abort(new Error('the step was told to stop'))
    },
  }
}
