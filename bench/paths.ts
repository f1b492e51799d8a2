import { Session } from 'node:inspector/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../src/config.ts'
import { startServer } from '../src/start/server.ts'
import { newFolder } from './support/folder.ts'

export const about =
  'paths: how many source files and functions a request passes, from the socket to the log and back (no target); --files names them'

const root = path.resolve(import.meta.dirname, '..')
const adminToken = 'paths-bench-token-of-the-admin'

type Passed = Map<string, number>

/** The files whose functions ran since the last call, with the number of different functions. */
const passed = async (session: Session): Promise<Passed> => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const files: Passed = new Map()
  for (const { url, functions } of result) {
    if (!url.startsWith('file:')) continue
    const file = path.relative(root, fileURLToPath(url))
    if (!/^(src|actors|projections)\//.test(file)) continue
    const ran = functions.filter(
      ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    )
    if (ran.length > 0) files.set(file, ran.length)
  }
  return files
}

export const run = async (args: string[]): Promise<void> => {
  const dataDir = newFolder('paths')
  const config = readConfig({
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    HOST: '127.0.0.1',
    ADMIN_TOKEN: adminToken,
  })
  const server = await startServer(config, () => {})
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const post = async (where: string, body: object) => {
    const answer = await fetch(`${server.url}/v1${where}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${where}: ${answer.status} ${text}`)
    return text
  }
  const echo = () =>
    post('/tasks', { user_message_content: 'x', stream: false, agent_config: { agent_id: 'echo' } })
  const talk = (texts: number) => {
    const script = Array.from({ length: texts }, (_, n) => ({ message: `text ${n}`, delta_ms: 40 }))
    return post('/tasks', {
      user_message_content: 'x',
      stream: true,
      agent_config: { agent_id: 'script', script },
    })
  }
  await post('/env/create', { env_id: 'gridworld', session_id: 'paths' })
  const step = () =>
    post('/env/step', { session_id: 'paths', tool_name: 'move', tool_args: { direction: 'north' } })

  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const quiet = () => new Promise(resolve => setTimeout(resolve, 1500))
  const measure = async (request: () => Promise<unknown>): Promise<Passed> => {
    await request() // makes what only the first request of its kind makes
    await quiet()
    await passed(session)
    await request()
    return passed(session)
  }
  const show = (name: string, files: Passed) => {
    const functions = [...files.values()].reduce((sum, count) => sum + count, 0)
    console.log(`  ${name.padEnd(34)}${files.size} files, ${functions} functions`)
    if (args.includes('--files'))
      for (const [file, count] of [...files].sort()) console.log(`    ${file} ${count}`)
  }
  console.log('\nwhat a request passes')
  show('create of an echo task', await measure(echo))
  show('step of an environment', await measure(step))
  const short = await measure(() => talk(1))
  const long = await measure(() => talk(12))
  show('streamed task of a script', long)
  console.log(`  ${[...long.keys()].filter(file => !short.has(file)).length} further files for more text`)
  await server.stop(0)
  session.disconnect()
}
