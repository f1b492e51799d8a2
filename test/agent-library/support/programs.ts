// Runs the program in its configuration: lists that begin with the name of what to do. The shared cases use it, in each
// language.
import { CallError } from '../../../library/agent/errors.ts'
import type { Context } from '../../../library/agent/types.ts'

// biome-ignore lint/suspicious/noExplicitAny: a program is data of any form
type Program = [what: string, ...given: any[]]

const tried = async (ctx: Context, program: Program): Promise<unknown> => {
  try {
    return await perform(ctx, program)
  } catch (error) {
    if (!(error instanceof CallError)) throw error
    const { name, kind, message, code } = error
    return { class: name, kind, message, ...(code === undefined ? {} : { code }) }
  }
}

const effectOf = (given: { throws?: string } | null) => () => {
  if (given?.throws !== undefined) throw new Error(given.throws)
  return given
}

const perform = async (ctx: Context, [what, ...given]: Program): Promise<unknown> => {
  const [first, second, third, fourth] = given
  switch (what) {
    case 'seq': {
      const all: unknown[] = []
      for (const one of given) all.push(await perform(ctx, one))
      return all
    }
    case 'all':
    case 'begin-all':
      return Promise.all(given.map(one => perform(ctx, one)))
    case 'race':
      return Promise.race(given.map(one => perform(ctx, one)))
    case 'try':
      return tried(ctx, first)
    case 'return':
      return first
    case 'throw':
      throw new Error(first)
    case 'input':
      return ctx.input.text
    case 'now':
      return ctx.now()
    case 'random':
      return ctx.random()
    case 'say':
      return ctx.say(first) ?? null
    case 'think':
      return ctx.think(first) ?? null
    case 'run':
      return ctx.run(first, effectOf(second), third)
    case 'tool':
      return ctx.tool(first, second, third)
    case 'model':
      return ctx.model(first, second)
    case 'agent':
      return ctx.agent(first, second, third, fourth)
    case 'ask':
      return ctx.ask(first, second, third)
    case 'message':
      return ctx.message(first)
    case 'sleep':
      return (await ctx.sleep(first)) ?? null
    case 'history':
      return ctx.history()
    case 'env':
      return ctx.env[first as 'step'](second, third)
    default:
      throw new Error(`there is no ${what}`)
  }
}

export const program = (ctx: Context): Promise<unknown> => perform(ctx, ctx.config.program as Program)
