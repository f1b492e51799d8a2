// npm test builds, and then runs every file test/**/*.test.ts beside the checks of the sources, all of them even if one
// fails. The last line says how many assertions and checks passed and failed.
// npm test -- test/log/audit.test.ts runs only these files. A file is a program of its own, too: node test/log/audit.test.ts
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { natsRemark } from './support/nats-programs.ts'
import type { Outcome } from './support/several.ts'

const root = path.resolve(import.meta.dirname, '..')
process.chdir(root)
process.env.REPRISE_BUILT = '1' // test files need not build again
process.env.NODE_COMPILE_CACHE ??= path.join(root, 'node_modules/.cache/node') // for all processes of this run
process.env.TAP_TIMEOUT = '300' // seconds that a file may take, unless it asks for more
process.env.TAP_SAVE_FIXTURE = '1' // else tap removes the folder of a test before the servers of the test have stopped
/** More processes than processors, since tests also wait for timers, disks and other processes. */
const places = availableParallelism() * 2
/** Seconds after which a process is ended that has not ended its file itself. */
const patience = 360
const total = { passed: 0, failed: 0, skipped: 0 }
const add = ({ passed, failed, skipped }: Omit<Outcome, 'failures' | 'cpu'>) => {
  total.passed += passed
  total.failed += failed
  total.skipped += skipped
}

const say = (name: string, ok: boolean, started: number, note = ''): void => {
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  console.log(
    `${name.padEnd(12)}${(ok ? 'ok' : 'FAILED').padEnd(8)}${seconds.padStart(6)} s  ${note}`.trimEnd(),
  )
}

/** Runs a program of Node to its end. */
const run = async (args: string[], options: { timeout?: number } = {}) => {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...options,
  })
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  const end = signal ? `ended by ${signal}\n` : ''
  return { ok: status === 0, stdout, output: `${stdout}${stderr}${end}` }
}

const check = async (name: string, args: string[]): Promise<void> => {
  const started = performance.now()
  const { ok, output } = await run(args)
  add({ passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 })
  say(name, ok, started)
  if (!ok) console.log(`\n${output.trim()}\n`)
}

/** Runs a file as the program that it is. tap's last lines count its assertions. */
const runAlone = async (file: string): Promise<Outcome> => {
  const { ok, stdout, output } = await run(['--no-warnings', file], { timeout: patience * 1000 })
  const summary = stdout.match(/^# \{ total: .* \}$/gm)?.at(-1) ?? ''
  const count = (name: string) => Number(summary.match(new RegExp(`\\b${name}: (\\d+)`))?.[1] ?? 0)
  const fine = ok && count('fail') === 0 && count('total') > 0
  return {
    passed: count('pass'),
    failed: fine ? 0 : Math.max(1, count('fail')), // a crash fails, too
    skipped: count('skip') + count('todo'),
    failures: fine ? '' : output,
  }
}

/** The next message with an outcome. tap sends messages of its own. */
const outcomeOf = (child: ChildProcess): Promise<Outcome> =>
  new Promise(resolve => {
    const hear = (message: { outcome?: Outcome }) => {
      if (message.outcome === undefined) return
      child.off('message', hear)
      resolve(message.outcome)
    }
    child.on('message', hear)
  })

/** A process that runs files, one after another. */
const forkSeveral = async () => {
  const child = fork('test/support/several.ts', {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', chunk => (said += chunk))
  const died = once(child, 'exit').then(
    ([status, signal]): Outcome => ({
      ...{ passed: 0, failed: 1, skipped: 0 },
      failures: `${said}ended by ${signal ?? `exit ${status}`}`,
    }),
  )
  await outcomeOf(child)
  return { child, died }
}

/** Runs files in a process that they share, until `next` has no more. A process that dies fails its file. */
const runTogether = async (
  next: () => string | undefined,
  ended: (file: string, begun: number, outcome: Outcome) => void,
) => {
  let several: Awaited<ReturnType<typeof forkSeveral>> | undefined
  for (let file = next(); file !== undefined; file = next()) {
    if (!several?.child.connected) several = await forkSeveral()
    const { child, died } = several
    const limit = setTimeout(() => child.kill('SIGKILL'), patience * 1000)
    const begun = performance.now()
    child.send(file, () => {}) // if it has died, `died` says so
    ended(file, begun, await Promise.race([outcomeOf(child), died]))
    clearTimeout(limit)
  }
  if (several?.child.connected) several.child.disconnect()
}

/** A file that changes or measures what belongs to the whole process has a process of its own. */
const ofProcess =
  /\bprocess\.(chdir|emit|env\.\w+ = |exit\b|exitCode|memoryUsage|on\b|once\b|umask)|delete process\.env|syncBuiltinESMExports/
const isOfProcess = (file: string) => ofProcess.test(readFileSync(file, 'utf8'))

/** The files that take longest begin first, so that none of them runs alone at the end. */
const longest = ['recorded/', 'server/', 'cluster/', 'actors/journal/disk', 'browser/', 'cli/', 'agents/']
const rankOf = (file: string) => [...longest, ''].findIndex(begin => file.startsWith(`test/${begin}`))

/**
 * Prints the files that took most, and the folders: where a suite that has become slow is to be mended. Seconds of processor time
 * depend little on what else runs.
 */
const sayDearest = (unit: string, seconds: Map<string, number>): void => {
  const folders = new Map<string, number>()
  for (const [file, of] of seconds) {
    const folder = `${path.dirname(file)}/`
    folders.set(folder, (folders.get(folder) ?? 0) + of)
  }
  for (const [each, most] of [
    [seconds, 15],
    [folders, 10],
  ] as const) {
    const all = [...each].sort(([, one], [, other]) => other - one)
    for (const [name, of] of all.slice(0, most))
      console.log(`dear        ${of.toFixed(0).padStart(4)} s${unit}  ${name}`)
  }
}

const runFiles = async (files: string[]): Promise<void> => {
  const started = performance.now()
  const seconds = new Map<string, number>()
  const cpu = new Map<string, number>()
  const sum = { passed: 0, failed: 0, skipped: 0 }
  const failing = new Map<string, Outcome>()
  const ended = (file: string, begun: number, outcome: Outcome) => {
    seconds.set(file, (performance.now() - begun) / 1000)
    if (outcome.cpu !== undefined) cpu.set(file, outcome.cpu)
    if (outcome.failed > 0) {
      failing.set(file, outcome)
      console.log(`failed      ${file}, which runs again at the end`)
    } else for (const name of ['passed', 'skipped'] as const) sum[name] += outcome[name]
  }
  const alone = files.filter(isOfProcess)
  const together = files.filter(file => !alone.includes(file))
  const work = async () => {
    for (let file = alone.shift(); file !== undefined; file = alone.shift()) {
      const begun = performance.now()
      ended(file, begun, await runAlone(file))
    }
    await runTogether(() => together.shift(), ended)
  }
  await Promise.all(Array.from({ length: places }, work))
  // A machine that was busy for a moment may fail a file. What passes now, alone, was unsteady, and is named.
  const unsteady: string[] = []
  for (const [file, first] of failing) {
    const again = await runAlone(file)
    for (const name of ['passed', 'failed', 'skipped'] as const) sum[name] += again[name]
    if (again.failed === 0) unsteady.push(file)
    console.log(
      `\n${file}${again.failed === 0 ? ' failed once' : ''}\n${(again.failures || first.failures).trim()}\n`,
    )
  }
  add(sum)
  say(
    'tests',
    sum.failed === 0,
    started,
    `${files.length} files, ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped`,
  )
  if (files.length > 10) {
    sayDearest('', seconds)
    sayDearest(' of a processor', cpu)
  }
  for (const file of unsteady) console.log(`unsteady    ${file} failed beside others, and passed alone`)
}

/** The checks that run no code of ours, one after another: beside the tests they use time in which tests wait. */
const checkSources = async () => {
  const tsc = 'node_modules/typescript/bin/tsc'
  await check('types', [tsc, '--noEmit', '--pretty', 'false'])
  await check('types (ui)', [tsc, '--noEmit', '--pretty', 'false', '-p', 'console'])
  await check('lint', [
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--error-on-warnings',
    '--colors=off',
    '.',
  ])
  await check('imports', ['test/support/imports.mjs'])
}

const named = process.argv.slice(2)
const files =
  named.length > 0 ? named : globSync('test/**/*.test.ts').sort((one, other) => rankOf(one) - rankOf(other))
await check('build', ['build.mjs'])
await Promise.all([named.length === 0 && checkSources(), runFiles(files)])
rmSync('.tap/fixtures', { recursive: true, force: true })
const remark = named.length > 0 ? undefined : natsRemark()
if (remark !== undefined) console.log(`NATS        ${remark}`)
console.log(`${total.passed} passed, ${total.failed} failed`)
process.exitCode = total.failed > 0 ? 1 : 0
