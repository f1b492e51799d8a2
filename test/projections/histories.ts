// Logs full of everything that the read models of tasks follow, from one seed: many tasks at once, old ones that are
// rewarded and deleted late, keys, messages, answers and expiries.
import { Invalid, Refusal } from '../../src/contract/refusals.ts'
import type { Recorded } from '../../src/contract/stored.ts'
import { randomScript } from '../actors/simulation.ts'
import { admin, givenSystem, noTtls } from '../support/system.ts'
import { clientTool, tool } from '../support/tools.ts'
import { randomOf, settle, testWorld } from '../support/world.ts'

/** A command may come too late. */
const refusedOnly = (error: unknown) => {
  if (!(error instanceof Refusal) && !(error instanceof Invalid)) throw error
}

/** Every event of the log that comes of so many random commands, oldest first. */
export const randomHistory = async (seed: number, commands: number): Promise<Recorded[]> => {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const system = await givenSystem({
    world: testWorld(seed),
    ttls: random() < 0.5 ? noTtls : { ...noTtls, paused: 2, 'input-required': 2 },
    maxRunningTasks: pick([0, 0, 3]),
    tools: [tool('count'), tool('slow'), tool('read', { safe: true })],
  })
  const known: string[] = []
  let keys = 0
  const someTask = () => pick(known)
  const asked = () => `req-${seed}`
  const keep = async (made: Promise<string>) => void known.push(await made)
  const sleeping = () => system.play([{ sleep_ms: 60_000 }], { user_id: pick(['u1', 'u2']) })
  const make: (() => Promise<unknown>)[] = [
    () => keep(system.create({ client_id: 'echo' }, random() < 0.3 ? { key: `k${keys++ % 5}-${seed}` } : {})),
    () => keep(sleeping()),
    async () => {
      const id = await sleeping()
      known.push(id)
      await system.commands.remove(admin, id, asked())
    },
    () =>
      keep(
        system.play(randomScript(random), {
          session_id: pick(['s1', 's2']),
          client_tools: [clientTool('ask')],
        }),
      ),
  ]
  const change: (() => Promise<unknown>)[] = [
    () => system.commands.reward(admin, someTask(), asked(), { value: random() }),
    () => system.commands.remove(admin, someTask(), asked()),
    () => system.commands.cancel(admin, someTask(), asked()),
    () => system.commands.pause(admin, someTask(), asked()),
    () => system.commands.resume(admin, someTask(), asked()),
    () => {
      const call = { key: random() < 0.5 ? undefined : `m${keys++}-${seed}`, isRetry: false }
      return system.commands.message(admin, someTask(), asked(), 'go on', call)
    },
    () => {
      const calls: { call_id: string }[] = system.get(someTask()).metadata?.pending_inputs ?? []
      const answers = calls.map(({ call_id: callId }) => ({
        callId,
        itemId: system.world.ids.next('tr_'),
        content: 'yes',
        blocks: [],
      }))
      return answers.length === 0
        ? Promise.resolve()
        : system.commands.input(admin, someTask(), asked(), answers)
    },
  ]
  const under: Promise<unknown>[] = []
  await make[0]?.()
  for (let n = 0; n < commands; n++) {
    const op = pick(random() < 0.45 ? make : change)
    under.push((async () => op())().catch(refusedOnly))
    if (random() < 0.3) await settle(Math.floor(random() * 3))
    if (random() < 0.1) await system.world.advance(pick([10, 60, 700, 3000]))
  }
  await system.world.advance(100)
  for (const { id } of system.queries.unfinished()) {
    if (random() < 0.7) under.push(system.commands.cancel(admin, id, asked()).catch(refusedOnly))
  }
  await system.world.advance(2000)
  await Promise.all(under)
  const events: Recorded[] = []
  for await (const page of system.log.readAll()) events.push(...page)
  await system.close()
  return events
}
