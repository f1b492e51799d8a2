// Every command of a session is plain data: an actor that gets each one as text stores the same events as one that does not.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type At, envSessionKind } from '../../../actors/env-session/actor.ts'
import { createCallers } from '../../../actors/env-session/callers.ts'
import { createInstances } from '../../../actors/env-session/instances.ts'
import type { Kind } from '../../../actors/runtime/kind.ts'
import { createRuntime } from '../../../actors/runtime/runtime.ts'
import type { SessionCommand, SessionRequest } from '../../../src/contract/commands/env-session-commands.ts'
import { createSessionFolders } from '../../../src/env-sessions/folders.ts'
import type { SessionView } from '../../../src/history/env-session.ts'
import { openLog } from '../../../src/log/log.ts'
import { memoryStore } from '../../../src/log/memory-store.ts'
import { memorySecrets } from '../../support/system.ts'
import { randomOf, testWorld } from '../../support/world.ts'
import { memoryEnvironments } from './memory.ts'
import { kinds, type Kind as Recovery, reasonOf } from './sessions.ts'

type Send = (command: SessionCommand) => SessionCommand
type SessionKind = Kind<SessionView, SessionCommand, At>
/** The kind, whose actors get every command as `send` makes it, reports of their own effects included. */
const sentBy = (send: Send, kind: SessionKind): SessionKind => ({
  ...kind,
  effects: (stream, view, own, others) =>
    kind.effects(stream, view, { ...own, ask: command => own.ask(send(command)) }, others),
})

const play = async (t: Test, seed: number, recovery: Recovery, send: Send) => {
  const random = randomOf(seed)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const workspaceRoot = mkdtempSync(path.join(tmpdir(), 'reprise-commands-'))
  t.teardown(() => rmSync(workspaceRoot, { recursive: true, force: true, maxRetries: 3 }))
  const { clock, timers, random: bytes } = testWorld(seed)
  const log = openLog(memoryStore(), { clock, random: bytes, build: 'test' })
  const { environments } = memoryEnvironments()
  const secrets = memorySecrets()
  const instances = createInstances({
    environments,
    folders: createSessionFolders(workspaceRoot),
    longestFile: () => undefined,
    log,
    timers,
    secrets: ref => secrets.get(ref),
    troubles: { met() {}, over() {}, forget() {} },
  })
  const callers = createCallers()
  const keep = { putSecrets: secrets.put, forgetSecrets: secrets.forget }
  const kind = sentBy(send, envSessionKind({ clock, instances, callers, ...keep }))
  const runtime = createRuntime({ log, kind, timers, onFault: error => t.fail(error as Error) })

  const by = { principal: 'admin', causation: 'req' }
  const tool = () =>
    pick([
      ['add', { by: 2 }],
      ['draw', {}],
      ['fail', {}],
      ['end', {}],
      ['die', {}],
    ] as const)
  const requestOf = (n: number, no: number): SessionRequest => {
    const keys =
      random() < 0.5 ? { digest: `d${n}` } : { idempotencyKey: `k${Math.floor(n / 2)}`, digest: 'd' }
    const who = { no, ...by }
    const names = { session_id: 's', env_id: 'e', user_id: 'u', client_id: 'c', env_vars: {} }
    const source = { name: recovery, module: `${recovery}.mjs`, className: 'Sum', digest: 'one' }
    const [toolName, toolArgs] = tool()
    const step = { toolName, toolArgs, effectId: `call_${n}`, itemId: `tr_${n}`, keys }
    const envVars = random() < 0.3 ? { envVars: { KEY: 'v' } } : {}
    return pick<SessionRequest>([
      {
        type: 'CreateSession',
        session: { ...names, kwargs: { total: 1 } },
        source,
        values: {},
        seed: n,
        keys,
        ...who,
      },
      ...Array.from({ length: 5 }, () => ({
        type: 'TakeStep' as const,
        step: { ...step, ...envVars },
        ...who,
      })),
      { type: 'ResetSession', seed: n, options: {}, keys, ...who },
      { type: 'ObserveSession', ...who },
      { type: 'CloseSession', reason: 'enough', ...who },
      { type: 'DeleteSession', ...who },
    ])
  }
  const reasons: (string | undefined)[] = []
  for (let n = 0; n < 30; n++) {
    // Two at once, so that one waits in the mailbox.
    const asked = [2 * n, 2 * n + 1].map(number =>
      reasonOf(callers.ask({}, no => runtime.ask('env-s', send(requestOf(number, no))))),
    )
    reasons.push(...(await Promise.all(asked)))
  }
  const events: unknown[] = []
  for await (const page of log.readStream('env-s')) {
    for (const { header, data } of page) events.push([header.type, header.principal, data])
  }
  runtime.stop()
  await instances.stop()
  await log.close()
  return { events, reasons }
}

t.test('a session stores and answers the same when every command has been text on its way', async t => {
  const types = new Set<string>()
  for (const [n, recovery] of [...kinds, ...kinds].entries()) {
    const asText: Send = command => {
      types.add(command.type)
      const copy = JSON.parse(JSON.stringify(command)) as SessionCommand
      t.same(structuredClone(command), copy, 'a clone and a text hold the same')
      return copy
    }
    const asTexts = await play(t, n + 1, recovery, asText)
    const given = await play(t, n + 1, recovery, command => command)
    t.same(JSON.parse(JSON.stringify(asTexts)), JSON.parse(JSON.stringify(given)), `${recovery}, ${n}`)
    t.ok(asTexts.events.length > 5, `${asTexts.events.length} events`)
  }
  t.same(
    [...types].toSorted(),
    [
      'CloseSession',
      'CreateSession',
      'DeleteSession',
      'ObserveSession',
      'ReportOutcome',
      'ResetSession',
      'TakeStep',
    ],
    'each kind of command was among them',
  )
})
