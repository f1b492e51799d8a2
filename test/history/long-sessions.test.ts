// A session of many turns: each turn is named once in the log, a create reads only what is new, and a task still sees all
// that completed before it, whatever was deleted, forked or left waiting meanwhile.
import Database from 'better-sqlite3'
import t from 'tap'
import type { Agent } from '../../src/contract/agent.ts'
import type { OutputItem } from '../../src/contract/wire.ts'
import fc from '../support/fast-check.ts'

/** How many rows the statement that reads completed tasks of a session has given. */
let rowsRead = 0
type Prepare = (sql: string) => Database.Statement
const prototype = Database.prototype as unknown as { prepare: Prepare }
const { prepare } = prototype
prototype.prepare = function (this: Database.Database, sql) {
  const statement = prepare.call(this, sql)
  if (!sql.includes('tasks_completed_in_session')) return statement
  const { iterate } = statement
  statement.iterate = function* (...values: unknown[]) {
    for (const row of iterate.apply(statement, values)) {
      rowsRead++
      yield row
    }
  } as typeof iterate
  return statement
}
const { clientTool } = await import('../support/tools.ts')
const { admin, crashed, givenSystem, quiet } = await import('../support/system.ts')
type TestSystem = Awaited<ReturnType<typeof givenSystem>>

const saw = new Map<string, string[]>()
const textOf = (item: OutputItem): string => {
  if (item.type !== 'message') return item.type
  return typeof item.message_content === 'string'
    ? item.message_content
    : item.message_content.map(part => (typeof part === 'object' && 'text' in part ? part.text : '')).join('')
}
/** Answers what it is asked. "wait" first pauses, "fail" fails. It notes what it saw. */
const teller: Agent = {
  name: 'teller',
  async *step({ history, request, agentStep }) {
    const asked = request.user_message_content as string
    saw.set(asked, (await history()).map(textOf))
    if (asked.startsWith('fail')) return { end: 'fail', error: { code: -32000, message: 'no' } }
    if (asked.startsWith('wait') && agentStep === 1) return { end: 'pause', reason: 'tea' }
    yield { say: 'item', item: 'message', part: 'output_text', texts: [`re ${asked}`] }
    return { end: 'answer' }
  },
}

const given = () => givenSystem({ agents: [teller] })
const ask = async (system: TestSystem, text: string, more: object = {}): Promise<string> => {
  const id = await system.create({
    user_message_content: text,
    client_id: 'teller',
    session_id: 's',
    ...more,
  })
  await quiet(system)
  return id
}
type Start = { context: { stream: string }[]; context_of?: string; seen_until?: number }
const startOf = async (system: TestSystem, id: string): Promise<Start> =>
  (await system.stored()).find(
    ({ header }) => header.type === 'TaskStarted' && header.stream === `task-${id}`,
  )?.data as Start

t.test('each turn stores and reads as much as the one before', async t => {
  const system = await given()
  t.teardown(system.close)
  const turns: { names: number; rows: number; bytes: number }[] = []
  for (let n = 10; n < 60; n++) {
    rowsRead = 0
    const start = await startOf(system, await ask(system, `turn ${n}`))
    turns.push({ names: start.context.length, rows: rowsRead, bytes: JSON.stringify(start).length })
  }
  const [, , third, ...later] = turns
  for (const turn of later) {
    t.same({ names: turn.names, rows: turn.rows }, { names: 2, rows: 2 })
    t.ok(turn.bytes <= (third?.bytes ?? 0) + 4, 'only the digits of positions grow')
  }
  t.equal(saw.get('turn 59')?.length, 99, 'it still sees each question and each answer')
})

t.test('a task sees its session without a task that was deleted, and the next turns stay short', async t => {
  const system = await given()
  t.teardown(system.close)
  const ids: string[] = []
  for (let n = 0; n < 8; n++) ids.push(await ask(system, `n${n}`))
  await system.commands.remove(admin, ids[5] ?? '', 'req')
  const whole = await startOf(system, await ask(system, 'after'))
  t.equal(whole.context.length, 4, 'only the contexts before the deleted task still hold')
  t.equal(whole.context_of, `task-${ids[4]}`)
  const left = [0, 1, 2, 3, 4, 6, 7].flatMap(n => [`n${n}`, `re n${n}`])
  t.same(saw.get('after'), [...left, 'after'])
  await ask(system, 'once more')
  const next = await startOf(system, await ask(system, 'and on'))
  t.equal(next.context.length, 2)
  t.same(saw.get('and on'), [
    ...left,
    ...['after', 'once more'].flatMap(text => [text, `re ${text}`]),
    'and on',
  ])
})

t.test('a last turn that is deleted and asked again names only the turn before it', async t => {
  const system = await given()
  t.teardown(system.close)
  for (let n = 0; n < 6; n++) await ask(system, `n${n}`)
  for (let again = 0; again < 3; again++) {
    const last = await ask(system, `last ${again}`)
    t.equal((await startOf(system, last)).context.length, 2)
    await system.commands.remove(admin, last, 'req')
  }
})

t.test('the session of a fork names the past of the fork until one of its tasks has completed', async t => {
  const system = await given()
  t.teardown(system.close)
  let last = ''
  for (let n = 0; n < 6; n++) last = await ask(system, `n${n}`)
  const at =
    (await system.stored()).findLast(({ header }) => header.stream === `task-${last}`)?.header.seq ?? 0
  const body = { at, task_id: 'fork', run: false }
  await system.commands.fork(admin, last, 'req', body, { key: undefined, isRetry: false })
  const { session_id } = system.get('fork')
  const lengths: number[] = []
  for (let n = 0; n < 4; n++)
    lengths.push((await startOf(system, await ask(system, `f${n}`, { session_id }))).context.length)
  t.same(lengths, [7, 2, 2, 2])
  t.equal(saw.get('f3')?.length, 19)
})

t.test('answers in new tasks name each round once', async t => {
  const system = await given()
  t.teardown(system.close)
  const script = [{ tools: [{ tool: 'ask' }] }, { message: 'never' }]
  const more = { session_id: 's', client_tools: [clientTool('ask')] }
  let id = await system.play(script, more)
  for (let round = 1; round < 12; round++) {
    await quiet(system)
    const calls = system.get(id).metadata.pending_inputs as { call_id: string }[]
    const history_messages = calls.map(({ call_id }): OutputItem => {
      return { type: 'tool_result', call_id, message_content: `${round}`, block_list: [] }
    })
    id = await system.play(script, { ...more, history_messages })
    await quiet(system)
    const { context } = await startOf(system, id)
    t.ok(context.length <= 4, `${context.length} in round ${round}`)
  }
  await ask(system, 'so')
  const seen = saw.get('so') ?? []
  t.equal(seen.filter(type => type === 'tool_call').length, 11)
  t.equal(seen.filter(type => type === 'tool_result').length, 11)
})

t.test('a task that was answered in a new one and then deleted is seen by no later task', async t => {
  const system = await given()
  t.teardown(system.close)
  for (const text of ['one', 'two']) await ask(system, text)
  const script = [{ message: 'before' }, { tools: [{ tool: 'ask' }] }, { message: 'never' }]
  const more = { session_id: 's', client_tools: [clientTool('ask')] }
  const waiting = await system.play(script, more)
  await quiet(system)
  const [call] = system.get(waiting).metadata.pending_inputs as { call_id: string }[]
  const call_id = call?.call_id ?? ''
  const answer: OutputItem = { type: 'tool_result', call_id, message_content: 'forty-two', block_list: [] }
  await system.play([{ message: 'answered' }], { ...more, history_messages: [answer] })
  await quiet(system)
  await ask(system, 'while it is there')
  t.ok(saw.get('while it is there')?.includes('before'))
  await system.commands.remove(admin, waiting, 'req')
  for (const text of ['then', 'later', 'last']) {
    const id = await ask(system, text)
    const seen = saw.get(text) ?? []
    t.notOk(seen.includes('before'))
    t.ok(['re one', 're two', 'answered', 're while it is there'].every(each => seen.includes(each)))
    if (text === 'last') t.equal((await startOf(system, id)).context.length, 2, 'and turns stay short')
  }
})

const ownMessage = (text: string) => ({ type: 'message', role: 'user', message_content: text })

/** What one session should show to a task that starts now. */
type Session = { name: string; past: string[]; done: string[] }
type Told = { texts: string[]; session: Session; before: string[] }

/** A conversation with the system, and what everybody in it should have seen. */
const createModel = (first: TestSystem) => {
  let system = first
  const sessions: Session[] = [{ name: 's', past: [], done: [] }]
  const told = new Map<string, Told>()
  const gone = new Set<string>()
  const waits = new Map<string, { text: string; session: Session }>()
  let n = 0
  const stays = (ids: string[]) => ids.filter(id => !gone.has(id))
  const seenIn = ({ past, done }: Session) =>
    [...stays(past), ...stays(done)].flatMap(id => told.get(id)?.texts ?? [])
  const end = (id: string, text: string, session: Session) => {
    told.set(id, { texts: [text, `re ${text}`], session, before: [...session.past, ...session.done] })
    session.done.push(id)
  }
  const pick = <T>(all: Iterable<T>, at: number): T | undefined => {
    const list = [...all]
    return list[at % Math.max(1, list.length)]
  }
  const mismatches: string[] = []
  const check = (text: string, expected: string[]) => {
    const found = saw.get(text)
    if (JSON.stringify(found) !== JSON.stringify(expected))
      mismatches.push(`${text} saw ${found?.join('|')} and should have seen ${expected.join('|')}`)
  }
  const say = async (kind: 'say' | 'wait' | 'fail' | 'own', at: number) => {
    const session = pick(sessions, at) as Session
    const text = `${kind} ${n++} ${session.name}`
    const own = `own of ${text}`
    // A request that brings history of its own sees no earlier task.
    const expected = kind === 'own' ? [own] : seenIn(session)
    const more = kind === 'own' ? { history_messages: [ownMessage(own)] } : {}
    const id = await ask(system, text, { session_id: session.name, ...more })
    check(text, [...expected, text])
    if (kind === 'wait') waits.set(id, { text, session })
    if (kind === 'say') end(id, text, session)
    if (kind === 'own') {
      end(id, text, session)
      told.get(id)?.texts.unshift(own)
    }
  }
  const goOn = async (at: number) => {
    const id = pick(waits.keys(), at)
    const waiting = waits.get(id ?? '')
    if (id === undefined || waiting === undefined) return
    await system.commands.resume(admin, id, 'req')
    await quiet(system)
    waits.delete(id)
    end(id, waiting.text, waiting.session)
  }
  const remove = async (at: number) => {
    const id = pick(stays([...told.keys()]), at)
    if (id === undefined) return
    await system.commands.remove(admin, id, 'req')
    gone.add(id)
  }
  const fork = async (at: number) => {
    const id = pick(stays([...told.keys()]), at)
    const old = told.get(id ?? '')
    if (id === undefined || old === undefined || sessions.length > 4) return
    const seq =
      (await system.stored()).findLast(({ header }) => header.stream === `task-${id}`)?.header.seq ?? 0
    const task_id = `fork${n++}`
    await system.commands.fork(
      admin,
      id,
      'req',
      { at: seq, task_id, run: false },
      { key: undefined, isRetry: false },
    )
    await quiet(system)
    const session: Session = { name: system.get(task_id).session_id, past: stays(old.before), done: [] }
    sessions.push(session)
    told.set(task_id, { texts: old.texts, session, before: session.past })
    session.done.push(task_id)
  }
  /** Goes on in a system that has made its read models anew. */
  const rebuild = async () => {
    system = await crashed(system)
  }
  return { say, goOn, remove, fork, rebuild, mismatches, sessions, close: () => system.close() }
}

t.test('in random histories each task sees just what had completed in its session', async t => {
  const step = fc.record({
    what: fc.constantFrom(
      ...(['say', 'say', 'say', 'wait', 'fail', 'own', 'goOn', 'remove', 'fork'] as const),
    ),
    at: fc.nat(50),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async steps => {
      saw.clear()
      const model = createModel(await given())
      for (const { what, at } of steps) {
        if (what === 'goOn' || what === 'remove' || what === 'fork') await model[what](at)
        else await model.say(what, at)
      }
      await model.rebuild()
      for (const at of model.sessions.keys()) await model.say('say', at)
      await model.close()
      t.same(model.mismatches, [])
      return model.mismatches.length === 0
    }),
    { numRuns: 60 },
  )
})
