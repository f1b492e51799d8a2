// reprise demo crash: shows a stream that continues after a crash of its server. The processes, the data folder and the
// connections are real.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '../../config.ts'
import type { Frame } from '../../history/frames.ts'
import { openLogOf } from '../log/folder.ts'
import { connectToFolder } from '../server/connection.ts'
import { called } from '../terminal/called.ts'
import { NoAnswer } from '../terminal/exit.ts'
import { type Common, openTerminal } from '../terminal/terminal.ts'
import { evidenceIn } from './evidence.ts'
import { type ServerProcess, startServerProcess } from './own-server.ts'
import { crashPoint, task } from './scenario.ts'
import { createStory } from './story.ts'
import { verdictOf } from './verdict.ts'

type Options = Common & { keep?: true }
type Story = ReturnType<typeof createStory>

/** The environment variables of the demo's server. The operator's own settings are left out. */
const environmentIn = (dataDir: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  DATA_DIR: dataDir,
  PORT: '0',
  ADMIN_TOKEN: randomBytes(24).toString('hex'),
})

/** Runs the task, kills the server during the task, and starts the server again. Tells `story` what happens. */
const play = async (env: Record<string, string>, story: Story | undefined) => {
  const config = readConfig(env)
  let server = await startServerProcess(env)
  story?.happens('server', `${server.url}, its data in ${config.dataDir}`)
  const frames: Frame[] = []
  const there = connectToFolder(config, server.url)
  let killedAfter: number | undefined
  let killed: ServerProcess | undefined

  /** Resolves when the server has started again. Rejects when it cannot start; then `failure` ends the demo. */
  let restarted = Promise.resolve()
  let failed = (_: unknown) => {}
  const failure = new Promise<never>((_, reject) => {
    failed = reject
  })
  const onBroken = () => {
    if (killed === undefined || killedAfter !== undefined) return
    killedAfter = frames.at(-1)?.sequence_number ?? -1
    story?.happens('kill -9', `process ${killed.pid}, in the middle of a sentence`)
    restarted = startServerProcess(env).then(again => {
      server = again
      const seconds = (again.ms / 1000).toFixed(1)
      story?.happens('restart', `after ${seconds} s; the same stream, Last-Event-ID: ${killedAfter}`)
    })
    restarted.catch(failed)
  }
  const { id } = await there.ask(({ tasks }) => tasks.create(task))
  const followed = there.follow(id, { onBroken }, async run => {
    const isCrash = crashPoint()
    for await (const frame of run) {
      await restarted // so that the restart is printed before the frames that come after it
      frames.push(frame)
      story?.frame(frame)
      if (!isCrash(frame)) continue
      killed = server
      server.kill()
    }
  })
  await Promise.race([followed, failure])

  const { result: again } = await there.ask(client =>
    client.request<{ result: Frame[] }>({
      method: 'GET',
      path: `/v1/tasks/${encodeURIComponent(id)}/events`,
      query: { limit: 1000 },
    }),
  )
  await server.stop()
  const log = openLogOf(config)
  try {
    return { id, seen: { frames, again, killedAfter, ...(await evidenceIn(log, config, id)) } }
  } finally {
    await log.close()
  }
}

export const demoCrash = async (options: Options): Promise<void> => {
  const began = performance.now()
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-demo-'))
  const remove = () => {
    if (!options.keep) rmSync(dataDir, { recursive: true, force: true })
  }
  process.once('exit', remove)
  const printer = openTerminal(options)
  const { id, seen } = await play(environmentIn(dataDir), options.json ? undefined : createStory(printer))
  const findings = verdictOf(seen)
  const kept = findings.every(finding => finding.kept)
  const seconds = Number(((performance.now() - began) / 1000).toFixed(1))
  const { frames, killedAfter, events } = seen
  await printer.rows(
    options.json
      ? [
          JSON.stringify({
            kept,
            task_id: id,
            frames: frames.length,
            killed_after: killedAfter,
            events,
            promises: findings,
            seconds,
            ...(options.keep ? { data_dir: dataDir } : {}),
          }),
        ]
      : [
          '',
          ...findings.map(({ promise, kept, found }) =>
            printer.paint(
              `${kept ? 'kept  ' : 'BROKEN'} ${promise.padEnd(19)} ${found}`,
              kept ? 'plain' : 'red',
            ),
          ),
          ...(options.keep ? ['', `DATA_DIR=${dataDir} ${called} history ${id}`] : []),
        ],
  )
  if (!kept) throw new NoAnswer('the server broke a promise: see the lines above')
}
