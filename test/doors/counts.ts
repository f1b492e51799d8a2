// An agent that counts aloud and asks in between, and what is outside of its server.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export const words = Array.from({ length: 10 }, (_, n) => `word${n}`)
/** It says the words, waits for the gate, asks, and answers. What it does outside has the address that the user says. */
export const counts = `import { agent } from 'reprise/agent'
export default agent(async ctx => {
  const post = async what => (await fetch(ctx.input.text + what, { method: 'POST' })).status
  await ctx.run('begin', () => post('/begin'))
  for (const word of ${JSON.stringify(words)}) {
    ctx.say(word)
    await ctx.sleep(100)
  }
  await ctx.run('gate', () => post('/gate'), { safe: true })
  const answer = await ctx.ask('ask_user', { question: 'How much is it?' })
  await ctx.run('end', () => post('/end'))
  return 'It is ' + answer + '.'
})
`

/** What is outside of the server. It counts what is done there, and holds each caller at the gate until it opens. `gates`: their number. */
export const outside = async (t: Test) => {
  const done: string[] = []
  const held = new Set<ServerResponse>()
  let isOpen = false
  let gates = 0
  const server = createServer((request, response) => {
    const [, who = '', what = ''] = (request.url ?? '').split('/')
    if (what === 'gate') gates++
    else done.push(`${who} ${what}`)
    if (what === 'gate' && !isOpen) held.add(response)
    else response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const open = () => {
    isOpen = true
    for (const response of held) response.end()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, done, open, gates: () => gates }
}
