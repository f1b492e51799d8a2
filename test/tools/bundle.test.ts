// The threads of the tools are found and start in the bundle too, where no loader reads TypeScript.
import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import t from 'tap'
import { built } from '../../src/platform/built.ts'
import '../support/built.ts'

const root = path.resolve(import.meta.dirname, '../..')

const script = `
  import { builtinTools } from './main.mjs'
  const after = (ms, job) => { const timer = setTimeout(job, ms); timer.unref(); return () => clearTimeout(timer) }
  const tools = builtinTools({ clock: { now: Date.now }, timers: { after } })
  const call = async (name, args) => {
    const tool = tools.find(({ definition }) => definition.function.name === name)
    const { signal } = new AbortController()
    const { content } = await tool.run({ effectId: 'e', arguments: args, workdir: import.meta.dirname, userFolder: import.meta.dirname, at: 0, user: 'u', env: {}, signal })
    console.log(content)
  }
  const alive = setInterval(() => {}, 1000)
  await call('run_javascript', { code: '[6 * 7, Date.now()]' })
  await call('search_files', { pattern: 'needle$', path: 'hay.txt' })
  clearInterval(alive)
  tools.find(({ definition }) => definition.function.name === 'run_javascript').run({ effectId: 'e', arguments: { code: 'for (;;);' }, env: {}, signal: new AbortController().signal })
  console.log('left')
`

t.test('the threads start from the bundle, and keep no process alive', async t => {
  const folder = t.testdir({ 'run.mjs': script, 'hay.txt': 'a\na needle\n' })
  await build({
    entryPoints: { main: path.join(root, 'src/tools/builtin.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
  for (const thread of ['workshop-process.mjs', 'search-thread.mjs', 'javascript-thread.mjs']) {
    copyFileSync(built(thread), path.join(folder, thread))
  }
  const { stdout, stderr, status } = spawnSync(process.execPath, [path.join(folder, 'run.mjs')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  })
  t.same({ stdout, stderr, status }, { stdout: '[42,0]\nhay.txt:2: a needle\nleft\n', stderr: '', status: 0 })
})
