// Real processes, killed at every named point of a call, an answer and a cancel.
import path from 'node:path'
import t from 'tap'
import { builtEntry, mortalServer, playRound, type Round } from './kill-points.ts'
import type { Order } from './kill-points-entry.ts'

const at = (of: string, point: string, name?: string) =>
  ({ of, point, nth: 1, ...(name === undefined ? {} : { name }) }) as Order
const input = { answer: 'input' } as const
const sameTask = { answer: 'same task' } as const
const elsewhere = { answer: 'elsewhere' } as const
const cancel = { cancel: true } as const

const rounds: { order: Order; does: Round['does'] }[] = [
  { order: at('tool', 'before-intent', 'write_file'), does: elsewhere },
  { order: at('tool', 'after-intent', 'write_file'), does: input },
  { order: at('tool', 'during', 'write_file'), does: input },
  { order: at('tool', 'after-effect', 'write_file'), does: sameTask },
  { order: at('tool', 'after-effect', 'calculator'), does: input },
  { order: at('tool', 'after-result', 'write_file'), does: elsewhere },
  { order: at('child', 'before-intent'), does: sameTask },
  { order: at('child', 'after-intent'), does: input },
  { order: at('child', 'after-effect'), does: sameTask },
  { order: at('child', 'after-result'), does: input },
  { order: at('answer', 'before-intent'), does: elsewhere },
  { order: at('answer', 'after-result'), does: elsewhere },
  { order: at('answer', 'after-result'), does: sameTask },
  { order: at('cancel', 'before-intent'), does: cancel },
  { order: at('cancel', 'after-intent'), does: cancel },
  { order: at('cancel', 'during'), does: cancel },
  { order: at('cancel', 'after-effect'), does: cancel },
  { order: at('cancel', 'after-result'), does: cancel },
]

t.test('a server killed at each point: a line is written once, or a person is asked', async t => {
  const folder = t.testdir()
  const dataDir = path.join(folder, 'data')
  const server = mortalServer(await builtEntry(folder), dataDir)
  t.teardown(() => server.stop())
  for (const [n, { order, does }] of rounds.entries()) {
    const said = `${n}: ${JSON.stringify({ ...order, ...does })}`
    await server.arm(order)
    const before = server.deaths()
    const person = n % 2 === 0 ? 'resume' : 'result'
    t.same(await playRound(server, dataDir, { name: `round-${n}`, does, person }), [], said)
    t.equal(server.deaths(), before + 1, `${said}: it was killed`)
  }
})
