// node test/recorded/write.ts <name>: plays every scene on real servers of this build, some of them killed,
// and keeps the log with what is answered about it in test/recorded/logs/<name>. Run by hand, never by the suite; a
// recording that is there already is left as it is. docs/changing.md says when to make one.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startFakeModel } from '../../src/fake-model/server.ts'
import { decode } from '../../src/log/decode.ts'
import { sqliteReader } from '../../src/log/file/sqlite-reader.ts'
import { version } from '../../src/platform/version.ts'
import { launch } from '../support/server.ts'
import { ask, questionsOf } from './ask.ts'
import { foundIn, wanted } from './coverage.ts'
import { type Answer, isRecorded, type StoredRow, writeRecording } from './files.ts'
import { foldsOf } from './folds.ts'
import { allRows, loadLog } from './load.ts'
import { codeAnswers, playCode, playModelCalls } from './scenes/code.ts'
import { playAhead, playHiddenJob, playJobs, playMissed } from './scenes/cron.ts'
import { playExpiry } from './scenes/expiry.ts'
import { playForks } from './scenes/forks.ts'
import { playGroupChats } from './scenes/group-chats.ts'
import { modelAnswers, playModels } from './scenes/models.ts'
import { playCutOff, playHeldSessions, playHeldTask, playSessions } from './scenes/sessions.ts'
import { createStage } from './scenes/stage.ts'
import { playRest, playTasks } from './scenes/tasks.ts'
import { playTokens } from './scenes/tokens.ts'
import { playAfterKill, playTools, playUnderWay } from './scenes/tools.ts'
import { playWebhooks } from './scenes/webhooks.ts'

/** Paths in it are stored in events: it is the same on every machine. */
const folder = '/tmp/reprise-recorded'

const rowsIn = (dataDir: string): StoredRow[] => {
  const reader = sqliteReader(path.join(dataDir, 'log.db'))
  const rows = allRows(reader) as StoredRow[]
  void reader.close()
  return rows
}

const play = async (): Promise<Record<string, string>> => {
  const stage = createStage(folder)
  await stage.begin({}, '1')
  await playExpiry(stage)
  await stage.end()

  await playAhead(stage)

  const fake = await startFakeModel({ answers: modelAnswers })
  await stage.begin({ MODEL_BASE_URL: `${fake.url}/v1`, MODEL: 'fake-1', MODEL_API_KEY: 'sk-secret' })
  await playModels(stage)
  await stage.end()
  await fake.close()

  const forCode = await startFakeModel({ answers: codeAnswers })
  await stage.begin({ MODEL_BASE_URL: `${forCode.url}/v1`, MODEL: 'fake-1', MODEL_API_KEY: 'sk-secret' })
  await playModelCalls(stage)
  await stage.end()
  await forCode.close()

  await stage.begin()
  const tokens = await playTokens(stage)
  await playTasks(stage)
  await playWebhooks(stage)
  await playTools(stage)
  await playForks(stage)
  await playCode(stage)
  await playGroupChats(stage)
  const hidden = await playJobs(stage)
  await playSessions(stage)
  const underWay = await playUnderWay(stage)
  await playHeldSessions(stage)
  const cutOff = await playHeldTask(stage)
  await stage.end('SIGKILL')

  await stage.begin()
  await playMissed(stage)
  await playCutOff(stage, cutOff)
  await stage.end()

  stage.changeModules()
  await stage.begin()
  await playAfterKill(stage, underWay)
  await stage.env.add('old-code', 1)
  await stage.end()

  stage.forgetSecrets()
  await stage.begin()
  await stage.act(underWay.secret, 'resume')
  await stage.env.step('secretive', 'query', { sql: 'SELECT 1' })
  await playHiddenJob(stage, hidden)
  await playRest(stage)
  await stage.end()
  return tokens
}

/** What this build answers about the log, loaded into a folder where nothing else of it is left. */
const answersTo = async (rows: StoredRow[], tokens: Record<string, string>): Promise<Answer[]> => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'reprise-answers-'))
  await loadLog(dataDir, rows)
  const server = await launch(dataDir, { ENV_SESSION_IDLE_SECONDS: '3153600000' })
  const answers: Answer[] = []
  for (const question of questionsOf(rows, Object.keys(tokens))) {
    answers.push(await ask(server.url, question, tokens))
  }
  await server.end('SIGTERM')
  // The first start with a log whose key is in no file makes a key, and adds its name to the log.
  const more = rowsIn(dataDir)
    .slice(rows.length)
    .filter(({ stream }) => stream !== 'audit-key')
    .map(({ header }) => header)
  if (more.length > 0) {
    throw new Error(`the recorded log does not rest; a start adds to it:\n${more.join('\n')}`)
  }
  rmSync(dataDir, { recursive: true, force: true })
  return answers
}

const name = process.argv[2] ?? version
if (isRecorded(name))
  throw new Error(`there is a recording ${name}: docs/changing.md says when it may be removed`)
if (existsSync(folder)) throw new Error(`${folder} exists: remove it first`)
mkdirSync(folder)
const tokens = await play()
const rows = rowsIn(path.join(folder, 'data'))
const found = foundIn(rows.map(row => decode(row)))
const missing = wanted().filter(line => !found.has(line))
if (missing.length > 0) console.log(`no scene plays these:\n  ${missing.join('\n  ')}`)
const answers = await answersTo(rows, tokens)
const target = writeRecording({ name, rows, answers, folds: foldsOf(rows), tokens })
console.log(`${rows.length} events and ${answers.length} answers are in ${target}`)
rmSync(folder, { recursive: true, force: true })
