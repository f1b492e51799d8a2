// What the reprise command answers to a wrong or a questioning command line.
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import path from 'node:path'
import t from 'tap'
import { createProgram } from '../../src/cli/program.ts'
import { built } from '../../src/platform/built.ts'
import { lockFolder } from '../../src/platform/sqlite/lock-file.ts'
import { version } from '../../src/platform/version.ts'
import { lockData } from '../../src/shard/opening/folder-lock.ts'
import { runReprise } from '../support/server.ts'
import { shell, start } from './support.ts'

/** Every command that does something, by its words. */
const commands = createProgram().commands.flatMap(command =>
  command.commands.length === 0
    ? [{ words: [command.name()], command }]
    : command.commands.map(inner => ({ words: [command.name(), inner.name()], command: inner })),
)
const names = commands.map(({ words }) => words.join(' '))

t.test('these are the commands', async t => {
  t.same(names.sort(), [
    'acp',
    'agent check',
    'agent list',
    'agent new',
    'agent serve',
    'audit rotate-key',
    'backup',
    'cluster drain',
    'cluster forget',
    'cluster init',
    'cluster leave',
    'cluster move',
    'cluster status',
    'console',
    'cron create',
    'cron delete',
    'cron list',
    'cron runs',
    'cron trigger',
    'demo crash',
    'demo failover',
    'dev',
    'diff',
    'env close',
    'env create',
    'env get',
    'env kinds',
    'env list',
    'env observe',
    'env reset',
    'env step',
    'erase',
    'export',
    'fork',
    'history',
    'model check',
    'model fake',
    'rebuild',
    'replay',
    'restore',
    'serve',
    'tail',
    'tasks cancel',
    'tasks get',
    'tasks list',
    'tasks pause',
    'tasks resume',
    'tasks watch',
    'token create',
    'token list',
    'token revoke',
    'try',
    'usage',
    'verify',
    'webhooks create',
    'webhooks delete',
    'webhooks deliveries',
    'webhooks list',
    'webhooks redeliver',
    'webhooks test',
    'witness',
  ])
})

t.test('help and version are answers: stdout, exit code 0', async t => {
  const [help, asked, tokenHelp] = await Promise.all([
    runReprise(['--help']),
    runReprise(['--version']),
    runReprise(['token', '--help']),
  ])
  t.match(help, { code: 0, stderr: '', stdout: /^Usage: reprise/ })
  for (const [command] of commands.map(({ words }) => words))
    t.match(help.stdout, new RegExp(`^ {2}${command} `, 'm'))
  t.match(
    help.stdout,
    /^Exit codes: 0 ok, 1 the answer is no, 2 wrong usage, .+, 3 no server .+, 75 .+, 130 Ctrl-C$/m,
  )
  t.same(asked, { code: 0, stderr: '', stdout: `${version}\n` })
  t.match(tokenHelp, { code: 0, stderr: '', stdout: /^ {2}create /m })
})

t.test('every command helps: what it takes, how it is coloured, and an example', async t => {
  for (let n = 0; n < commands.length; n += 3) {
    await Promise.all(
      commands.slice(n, n + 3).map(async ({ words, command }) => {
        const { code, stdout, stderr } = await runReprise([...words, '--help'])
        t.same({ code, stderr }, { code: 0, stderr: '' }, words.join(' '))
        t.match(stdout, `Usage: reprise ${words.join(' ')} `)
        for (const { long } of command.options) t.match(stdout, long)
        t.match(stdout, '--no-color')
        t.match(stdout, new RegExp(`\nExample:\n {2}reprise ${words.join(' ')}( .+)?\n$`))
      }),
    )
  }
  const speechless = commands.filter(({ command }) => command.options.every(({ long }) => long !== '--json'))
  t.same(
    speechless.map(({ words }) => words.join(' ')),
    ['serve', 'acp', 'dev', 'agent serve', 'witness', 'model fake'],
    'all but servers answer in JSON when they are asked to',
  )
})

t.test('no option takes more than one word, so an argument may follow it', async t => {
  for (const { words, command } of commands)
    for (const { long, variadic } of command.options) t.notOk(variadic, `${words.join(' ')} ${long}`)
})

t.test('help loads no command', async t => {
  const needs = (name: string) =>
    [...readFileSync(built(name), 'utf8').matchAll(/^(?:import|\}) (?:.*from )?"([^"]+)"/gm)].map(
      ([, from]) => from,
    )
  const main = needs('main.mjs')
  const pieces = main.filter(name => name?.startsWith('./')).flatMap(name => needs(name ?? ''))
  for (const name of [...main, ...pieces]) t.match(name, /^(commander$|node:|\.\/)/)
})

t.test('every command is in the reference, with its options', async t => {
  const reference = readFileSync(path.resolve(import.meta.dirname, '../../docs/command-line.md'), 'utf8')
  for (const { words, command } of commands) {
    t.match(reference, `\`reprise ${words.join(' ')}`, words.join(' '))
    for (const { long } of command.options) t.match(reference, `\`${long}`, `${words.join(' ')} ${long}`)
  }
})

t.test('every command that a page names is there, with the options that it names', async t => {
  const root = path.resolve(import.meta.dirname, '../..')
  const program = createProgram()
  let named = 0
  for (const page of [
    'README.md',
    'SECURITY.md',
    ...globSync('{docs,examples,python}/**/*.md', { cwd: root }),
  ]) {
    const text = readFileSync(path.join(root, page), 'utf8').replaceAll(/\\\n\s*/g, '')
    const inBlocks = [...text.matchAll(/^```(?:sh)?\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
      block.split('\n'),
    )
    const inLines = [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/`([^`]+)`/g)].map(
      ([, code = '']) => code,
    )
    const said = [...inBlocks, ...inLines].flatMap(line =>
      [...line.matchAll(/(?:^(?:\w+=\S+ )*|\$ |\(|npx )reprise((?: [\w<[-][^\s;&)`]*)+)/g)].map(
        ([, words = '']) => words.trim().split(' '),
      ),
    )
    for (const [first = '', second = '', ...rest] of said) {
      const group = program.commands.find(each => [each.name(), ...each.aliases()].includes(first))
      if (/^<|^-/.test(first)) continue
      if (!t.ok(group, `${page}: reprise ${first}`) || group === undefined) continue
      named += 1
      const inner = group.commands.length === 0 || second === '' ? [] : second.split('|')
      const meant = inner.map(name => group.commands.find(each => each.name() === name))
      t.notOk(meant.includes(undefined), `${page}: reprise ${first} ${second}`)
      const known = [group, ...meant].flatMap(each => each?.options.map(({ long }) => long) ?? [])
      for (const word of [second, ...rest])
        if (word.startsWith('--') && word !== '--help')
          t.ok(known.includes(word), `${page}: reprise ${first} ${word}`)
    }
  }
  t.ok(named > 200, `${named} places`)
})

t.test('a slip of the hand is told in one line with the way out: stderr, exit code 2', async t => {
  const slips: [string[], RegExp][] = [
    [['serv'], /^reprise: unknown command 'serv' \(Did you mean serve\?\)\n$/],
    [['token', 'crate'], /^reprise: unknown command 'crate' \(Did you mean create\?\)\n$/],
    [['token', 'create', '--role', 'user', '--tll', '5'], /option '--tll' \(Did you mean --ttl\?\)\n$/],
    [['token', 'create'], /^reprise: required option '--role <role>' .+; usage: reprise token create /],
    [
      ['token', 'create', '--role', 'root'],
      /^reprise: --role root is none of admin, user, auditor, subscriber, eraser, worker\n$/,
    ],
    [
      ['token', 'create', '--role', 'user', '--ttl', '1h'],
      /^reprise: --ttl 1h is not a number of seconds from 1 to 315360000\n$/,
    ],
    [['token', 'create', '--role', 'user', '--ttl', '0'], /^reprise: --ttl 0 is not a number/],
    [['fork', 'task_1', '--at', 'last'], /^reprise: --at last is not the number of a frame\n$/],
    [['cron', 'create', 'n', 'x', '--every', '1h'], /^reprise: --every 1h is not a number of seconds\n$/],
    [['backup'], /^reprise: missing required argument 'file'; usage: reprise backup \[options\] <file>\n$/],
    [
      ['rebuild', 'all'],
      /^reprise: too many arguments for 'rebuild'.+; usage: reprise rebuild \[options\]\n$/,
    ],
    [['restore', 'a', 'b'], /^reprise: too many arguments for 'restore'/],
    [['demo', 'crsh'], /^reprise: unknown command 'crsh' \(Did you mean crash\?\)\n$/],
    [['cron', 'add'], /^reprise: unknown command 'add'; the commands are list, create, .*trigger/],
    [['cron', 'create', 'n', 'x'], /^reprise: give one of --schedule, --every and --at\n$/],
    [['cron', 'create', 'n', 'x', '--every', '5', '--at', 'x'], /^reprise: give one of --schedule/],
    [['xyzzy'], /^reprise: unknown command 'xyzzy'; usage: reprise \[options\] \[command\]\n$/],
  ]
  const DATA_DIR = t.testdir()
  for (let n = 0; n < slips.length; n += 3) {
    await Promise.all(
      slips.slice(n, n + 3).map(async ([args, says]) => {
        const { code, stdout, stderr } = await runReprise(args, { DATA_DIR, PORT: '0' })
        t.match({ code, stdout }, { code: 2, stdout: '' }, args.join(' '))
        t.match(stderr, says)
        t.match(stderr, /^reprise: .+\n$/)
      }),
    )
  }
  const [bare, half] = await Promise.all([runReprise([]), runReprise(['token'])])
  t.match(bare, { code: 2, stdout: '', stderr: /^Usage: reprise / })
  t.match(half, { code: 2, stdout: '', stderr: /^Usage: reprise token / })
})

t.test('a bad variable is told in one line: exit code 2', async t => {
  for (const words of [
    ['tail'],
    ['history', 'x'],
    ['replay', '--all'],
    ['rebuild'],
    ['backup', 'x'],
    ['verify'],
    ['export', 'x', '--out', 'y'],
  ]) {
    const { code, stderr } = await runReprise(words, { LOG_LEVEL: 'loud', DATA_DIR: t.testdir() })
    t.equal(code, 2)
    t.match(stderr, /^reprise: LOG_LEVEL=loud is none of .+\n$/)
  }
})

t.test('whoever reads may go away before anything is said', async t => {
  for (const line of ['reprise --help | true', 'reprise token create --help | head -n 1']) {
    t.match(await shell(line), { code: 0, stderr: '' })
  }
})

t.test(
  'an answer that cannot be written to a full disk is exit code 75',
  { skip: !existsSync('/dev/full') },
  async t => {
    for (const line of ['reprise --help > /dev/full', 'reprise --version > /dev/full']) {
      const { code, stderr } = await shell(line)
      t.equal(code, 75)
      t.match(stderr, /^reprise: stdout cannot be written: .*ENOSPC.*\n$/)
    }
  },
)

t.test('Ctrl-C ends a command that waits for an answer: exit code 130', async t => {
  const DATA_DIR = t.testdir()
  const silent = createServer()
  const asked = once(silent, 'connection')
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  writeFileSync(
    path.join(DATA_DIR, 'server.json'),
    JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: 1 }),
  )
  t.teardown(lockFolder(path.join(DATA_DIR, 'lock.db'), () => 'held'))
  const list = start(t, ['token', 'list'], { DATA_DIR })
  const [socket] = (await asked) as [Socket]
  t.teardown(() => socket.destroy())
  list.signal('SIGINT')
  t.match(await list.ended, { code: 130, stdout: '', stderr: '' })
})

t.test(
  'the address that a killed server has left gets no admin token while a command holds the folder',
  async t => {
    const DATA_DIR = t.testdir()
    const stranger = createServer(socket => socket.destroy())
    let asked = 0
    stranger.on('connection', () => asked++)
    await new Promise<void>(resolve => stranger.listen(0, '127.0.0.1', resolve))
    t.teardown(() => stranger.close())
    const { port } = stranger.address() as AddressInfo
    writeFileSync(
      path.join(DATA_DIR, 'server.json'),
      JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: 1 }),
    )
    t.teardown(lockData(DATA_DIR))
    t.match(await runReprise(['cron', 'list'], { DATA_DIR, ADMIN_TOKEN: 'secret' }), {
      code: 3,
      stdout: '',
    })
    t.equal(asked, 0)
  },
)
