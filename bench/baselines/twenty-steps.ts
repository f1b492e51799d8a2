// A function of twenty steps, each a side effect of its own that depends on the one before. The bench own-agents runs it as an
// agent in a host, in a worker, with the libraries of others, and without storing anything.
export type Steps = { run(name: string, step: () => Promise<number>): Promise<number> }

export const calls = 20

/** The side effect. It does as little as possible, so that what is measured is what a step costs around it. */
const step = async (sum: number): Promise<number> => sum + 1

export const twenty = async (ctx: Steps): Promise<string> => {
  let sum = 0
  for (let n = 0; n < calls; n++) sum = await ctx.run('add', () => step(sum))
  return `${sum}`
}
