// An instance of an environment, as it is asked over the protocol.
import path from 'node:path'
import type { Environment, OpenObject, StepContext, StepResult } from '../../contract/environment.ts'
import { temporary } from '../protocol.ts'
import { jsonOf, messageOf } from './json.ts'
import type { Loaded } from './load.ts'
import { outputOf, within } from './output.ts'
import { randomOf } from './random.ts'

/** Without the fields that were left out. */
const given = (fields: object): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** `reset` is given the numbers and the time of step 0 besides. */
type Hosted = Omit<Environment, 'reset'> & {
  reset(seed: number, options: OpenObject, context: Pick<StepContext, 'random' | 'now'>): unknown
}
type Created = { class: string; kwargs: OpenObject; env_vars: Record<string, string>; dir: string }
type Stepped = {
  tool: string
  args: OpenObject
  seed: number
  number: number
  now: number
  env_vars: Record<string, string>
}

/** From now on here is the instance's own folder, for what it starts too. */
const moveInto = (dir: string) => {
  process.chdir(dir)
  process.env.HOME = dir
  process.env.TMPDIR = path.join(dir, temporary)
}

export const createServer = (classes: Loaded[], send: (text: string) => void) => {
  let made: Hosted | undefined
  let running: { id: number; controller: AbortController } | undefined

  const instance = (): Hosted => {
    if (made === undefined) throw new Error('nothing was created')
    return made
  }
  const newest = async () => ({ state: await instance().observe(), tools: await instance().tools() })
  const stepped = async ({
    content,
    observation,
    state,
    reward,
    terminated,
    truncated,
    info,
    blocks,
  }: StepResult) => ({
    ...given({ content: within(content), observation, reward, terminated, truncated, info, blocks }),
    state: state ?? (await instance().observe()),
    tools: await instance().tools(),
  })

  /** Each gives its result as JSON. */
  const methods: Record<string, (params: never, id: number) => Promise<string>> = {
    async create({ class: name, kwargs, env_vars, dir }: Created) {
      const found = classes.find(one => one.name === name)
      if (found === undefined) throw new Error(`there is no class ${name}`)
      moveInto(dir)
      made = new found.Class(kwargs, { env_vars, dir }) as Hosted
      return '{}'
    },
    async reset({ seed, options, now }: { seed: number; options: OpenObject; now: number }) {
      const drawn = { random: randomOf(seed, 0), now: () => now }
      const observation = await instance().reset(seed, options, drawn)
      return jsonOf({ ...(await newest()), ...given({ observation }) })
    },
    async step({ tool, args, seed, number, now, env_vars }: Stepped, id) {
      const controller = new AbortController()
      running = { id, controller }
      const emit = outputOf(text => {
        if (running?.id === id) send(jsonOf({ method: 'output', params: { id, text } }))
      })
      const context = {
        emit,
        signal: controller.signal,
        random: randomOf(seed, number),
        now: () => now,
        env_vars: Object.freeze(env_vars),
      }
      try {
        const result: unknown = await instance().step(tool, args, context)
        if (typeof result !== 'object' || result === null) throw new Error('the step gave no result')
        return jsonOf(await stepped(result as StepResult))
      } catch (error) {
        // Whatever the step has done, its state is told with its failure, where it can be.
        const after = await newest()
          .then(jsonOf)
          .catch(() => '{}')
        return jsonOf({ ...JSON.parse(after), error: messageOf(error) })
      } finally {
        running = undefined
      }
    },
    async observe() {
      return jsonOf(await newest())
    },
    async snapshot({ keep_old = false }: { keep_old?: boolean }) {
      const leftOut: string[] = []
      const context = { leaveOut: (what: string) => void leftOut.push(String(what)), keepOld: keep_old }
      const data = await instance().snapshot?.(context)
      return jsonOf(given({ data, left_out: leftOut.length === 0 ? undefined : leftOut }))
    },
    async restore({ data }: { data: unknown }) {
      await instance().restore?.(data)
      return '{}'
    },
    async close() {
      await made?.close?.()
      return '{}'
    },
  }

  const answer = async (id: number, method: string, params: never) => {
    try {
      const job = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (job === undefined) throw new Error(`unknown method ${method}`)
      send(`{"id":${id},"result":${await job(params, id)}}`)
    } catch (error) {
      send(jsonOf({ id, error: { message: messageOf(error) } }))
    }
    if (method === 'close') process.exit(0)
  }

  /** Takes one message of the service. What it does not know and needs no answer is skipped. */
  return (line: string): void => {
    const { id, method, params } = JSON.parse(line)
    if (id !== undefined) void answer(id, method, params as never)
    else if (method === 'cancel' && running?.id === params.id) {
      running?.controller.abort(new Error('the step was told to stop'))
    }
  }
}
