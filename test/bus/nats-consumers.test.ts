// The examples for readers of NATS, as a reader would run them; and the example of permissions, held to what it says.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type ConsumerConfig, jetstream, jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { pause, until } from '../support/http.ts'
import { natsServer, noNats } from '../support/nats.ts'
import { givenBus, wordsOf } from './nats-support.ts'

const example = (name: string) => path.resolve(import.meta.dirname, '../../examples/nats', name)

const run = (t: Test, command: string, args: string[], env: Record<string, string>) => {
  const child: ChildProcess = spawn(command, args, { env: { ...process.env, ...env } })
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', chunk => {
    stdout += chunk
  })
  child.stderr?.on('data', chunk => {
    stderr += chunk
  })
  const over = once(child, 'close')
  const kill = async () => {
    child.kill('SIGKILL')
    await over
  }
  t.teardown(kill)
  return { lines: () => stdout.split('\n').slice(0, -1), stderr: () => stderr, kill }
}

const hasNatsPy = spawnSync('python3', ['-c', 'import nats']).status === 0
for (const { name, command, skip } of [
  { name: 'follow-events.mjs', command: process.execPath, skip: false },
  {
    name: 'follow_events.py',
    command: 'python3',
    skip: hasNatsPy ? false : 'there is no nats-py for python3',
  },
]) {
  t.test(`${name} is killed and started again, and loses nothing`, { skip: noNats || skip }, async t => {
    const nats = await natsServer(t)
    const bus = await givenBus(t, nats.url)
    bus.start()
    for (let n = 0; n < 10; n++) await bus.append(20)
    await bus.caughtUp()
    const lines: string[] = []
    for (const round of [1, 2, 3]) {
      const reader = run(t, command, [example(name), 'mine'], { NATS_URL: nats.url })
      const all = wordsOf(await bus.told())
      // What was not confirmed comes again, so only different lines count in the end.
      const heard = () => new Set([...lines, ...reader.lines()]).size
      const isEnough = () => (round === 3 ? heard() >= all.length : reader.lines().length >= 40)
      await until(isEnough).catch(error => {
        throw new Error(`${error.message} ${reader.stderr()}`)
      })
      await reader.kill()
      lines.push(...reader.lines())
      if (round < 3) await bus.append(4)
      await bus.caughtUp()
    }
    const words = wordsOf(await bus.told()).map(word => word.replace(' ', '\t'))
    t.same([...new Set(lines)], words, 'everything, in order')
    t.ok(lines.length <= words.length + 2, 'what was not confirmed comes again, and nothing else')
  })

  t.test(`${name} follows a stream that was removed and filled again`, { skip: noNats || skip }, async t => {
    const nats = await natsServer(t)
    const bus = await givenBus(t, nats.url)
    bus.start()
    await bus.append(20)
    await bus.caughtUp()
    const reader = run(t, command, [example(name), 'mine'], { NATS_URL: nats.url })
    const hasAll = async () => reader.lines().length >= (await bus.told()).length
    await until(hasAll)
    const client = await nats.client(t)
    await (await jetstreamManager(client)).streams.delete('REPRISE_EVENTS')
    await bus.append(20)
    await bus.caughtUp()
    await until(hasAll, 30_000).catch(error => {
      throw new Error(`${error.message} ${reader.stderr()}`)
    })
    t.same(
      reader.lines(),
      wordsOf(await bus.told()).map(word => word.replace(' ', '\t')),
      'each event once, in order',
    )
    t.match(reader.stderr(), /the events have stopped, and the program tries again: /)
  })
}

t.test(
  'with the permissions of the example, nobody follows what is not theirs, and nobody else publishes',
  { skip: noNats },
  async t => {
    const [, authorization = ''] =
      /^(authorization \{.*)/ms.exec(readFileSync(example('permissions.conf'), 'utf8')) ?? []
    const passwords = {
      REPRISE_PASSWORD: 'r-secret',
      ANNA_PASSWORD: 'a-secret',
      AUDITOR_PASSWORD: 'u-secret',
    }
    const nats = await natsServer(t, { config: authorization, env: passwords })
    const bus = await givenBus(t, nats.url, { env: { NATS_USER: 'reprise', NATS_PASSWORD: 'r-secret' } })
    bus.start()
    for (let n = 0; n < 6; n++) await bus.append(5)
    await bus.caughtUp()
    t.same(bus.messages(), ['NATS is connected'])
    const told = await bus.told()
    const ofAnna = wordsOf(told.filter(({ owner }) => owner === 'anna'))
    t.ok(ofAnna.length > 0 && ofAnna.length < told.length)

    const anna = await nats.client(t, { user: 'anna', pass: 'a-secret', inboxPrefix: '_INBOX_anna' })
    const heard: string[] = []
    const refused: string[] = []
    const watch = async () => {
      for await (const status of anna.status())
        if (status.type === 'error') refused.push(status.error.message)
    }
    watch().catch(() => {})
    const listenTo = (subject: string) =>
      anna.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) heard.push(`${message.headers?.get('Nats-Msg-Id')} ${message.string()}`)
        },
      })
    for (const subject of [
      'reprise.events.anna.>',
      'reprise.events.>',
      'reprise.events.carl.>',
      'reprise.>',
      '>',
    ])
      listenTo(subject)
    await anna.flush()
    await until(() => refused.length === 4)
    for (let n = 0; n < 6; n++) await bus.append(5)
    await bus.caughtUp()
    const all = await bus.told()
    const newOfAnna = wordsOf(all.filter(({ owner }) => owner === 'anna')).slice(ofAnna.length)
    await until(() => heard.length >= newOfAnna.length)
    t.same(heard, newOfAnna, 'live')

    anna.publish('reprise.events.anna.task.TaskCreated.x', '{"type":"TaskCreated"}')
    await anna.flush()
    await until(() => refused.length === 5)
    t.equal(bus.counts().foreign, 0)

    const manager = await jetstreamManager(anna, { timeout: 500 })
    const asked = (config: Partial<ConsumerConfig>) =>
      manager.consumers.add('REPRISE_EVENTS', { ack_policy: 'explicit', ...config }).then(
        () => 'made',
        () => 'refused',
      )
    t.equal(await asked({ durable_name: 'anna' }), 'refused', 'of everything')
    t.equal(await asked({ durable_name: 'anna', filter_subject: 'reprise.events.>' }), 'refused')
    t.equal(await asked({ durable_name: 'anna', filter_subject: 'reprise.events.carl.>' }), 'refused')
    t.equal(await asked({ durable_name: 'other', filter_subject: 'reprise.events.anna.>' }), 'refused')
    const stolen = await anna
      .request('$JS.API.STREAM.MSG.GET.REPRISE_EVENTS', '{"seq":1}', { timeout: 300 })
      .then(
        () => 'read',
        () => 'refused',
      )
    t.equal(stolen, 'refused', 'a message of the stream by its number')

    const reader = run(t, process.execPath, [example('follow-events.mjs'), 'anna', 'reprise.events.anna.>'], {
      NATS_URL: nats.url,
      NATS_USER: 'anna',
      NATS_PASSWORD: 'a-secret',
    })
    const wanted = [...ofAnna, ...newOfAnna].map(word => word.replace(' ', '\t'))
    await until(() => reader.lines().length >= wanted.length)
    await pause(50)
    t.same(reader.lines(), wanted, 'from the stream')

    const auditor = await nats.client(t, { user: 'auditor', pass: 'u-secret', inboxPrefix: '_INBOX_auditor' })
    const consumer = await jetstreamManager(auditor).then(manager =>
      manager.consumers
        .add('REPRISE_EVENTS', { durable_name: 'auditor', ack_policy: 'explicit' })
        .then(() => jetstream(auditor).consumers.get('REPRISE_EVENTS', 'auditor')),
    )
    const batch = await consumer.fetch({ max_messages: all.length, expires: 2000 })
    let count = 0
    for await (const message of batch) if (message.string() !== '') count++
    t.equal(count, all.length, 'an auditor hears everything')
  },
)
