// Runs errands: side effects that a file outside shows, tools, sleeps and a question.
import { appendFileSync } from 'node:fs'
import { agent } from 'reprise/agent'

export default agent(async ctx => {
  const { file } = JSON.parse(ctx.input.text)
  /** Lasts a while, so that it is sometimes cut off after it was done. */
  const effect = what =>
    ctx.run(what, async () => {
      appendFileSync(file, `${ctx.task} ${what}\n`)
      await new Promise(resolve => setTimeout(resolve, 40))
    })
  const said = []
  for (let n = 0; n < 4; n++) {
    await effect(`effect ${n}`)
    ctx.say(`Errand ${n}.`)
    const [sum, safe] = await Promise.all([
      ctx.tool('calculator', { expression: `${n} + 1` }),
      ctx.run(`read ${n}`, () => n, { safe: true }),
    ])
    said.push(sum, safe)
    await ctx.sleep(Math.floor(ctx.random() * 200))
    if (n === 1) said.push(await ctx.ask('colour', { n }))
  }
  return said
})
