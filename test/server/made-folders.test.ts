// The folders that a start makes, and the folders that it finds: programs of environments with user ids of their own can
// use them, or the start says which folder is closed to them and how to open it.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { envCalls, modules } from '../http/env-calls.ts'
import { noOther, publicFolder } from '../support/another-user.ts'
import { spawnServer } from '../support/server.ts'

t.jobs = 2
const skip = noOther
const modeOf = (folder: string) => (lstatSync(folder).mode & 0o7777).toString(8)
const ready = async (url: string) =>
  ((await (await fetch(`${url}/readyz`)).json()) as { own_users: string }).own_users

type Row = {
  dataDir: (top: string) => string
  make?: (top: string) => void
  env?: (top: string) => Record<string, string>
  umask?: number
  /** The modes of folders after the start. */
  modes: Record<string, string>
}
const rows: Record<string, Row> = {
  'a folder whose parent is there': { dataDir: top => path.join(top, 'data'), modes: { data: '710' } },
  'a folder with three parents': {
    dataDir: top => path.join(top, 'srv/a/b/data'),
    modes: { srv: '711', 'srv/a': '711', 'srv/a/b': '711', 'srv/a/b/data': '710' },
  },
  'the same with a strict umask': {
    dataDir: top => path.join(top, 'srv/a/data'),
    umask: 0o077,
    modes: { srv: '711', 'srv/a': '711', 'srv/a/data': '710' },
  },
  'the same with a umask that forbids even the owner to write': {
    dataDir: top => path.join(top, 'srv/data'),
    umask: 0o277,
    modes: { srv: '711', 'srv/data': '710' },
  },
  'a link to a folder': {
    dataDir: top => path.join(top, 'link'),
    make(top) {
      mkdirSync(path.join(top, 'real'))
      symlinkSync('real', path.join(top, 'link'))
    },
    modes: { real: '751' },
  },
  'a workspace root with parents, above the data folder of a later start': {
    dataDir: top => path.join(top, 'srv/data'),
    make: () => {},
    env: top => ({ WORKSPACE_ROOT: path.join(top, 'srv/w/x/files') }),
    modes: { srv: '711', 'srv/w/x': '711', 'srv/w/x/files': '700' },
  },
}
for (const [what, { dataDir, make, env, umask, modes }] of Object.entries(rows)) {
  t.test(`${what}: every environment has a user id of its own`, { skip }, async t => {
    const top = publicFolder(t)
    make?.(top)
    const before = umask === undefined ? undefined : process.umask(umask)
    const starting = spawnServer(t, dataDir(top), env?.(top)) // the process begins at once, with this umask
    if (before !== undefined) process.umask(before)
    const server = await starting
    t.equal(await ready(server.url), 'all', server.stderr())
    t.equal((await envCalls(server.api).create({ env_id: 'gridworld' })).status, 200)
    for (const [folder, mode] of Object.entries(modes)) t.equal(modeOf(path.join(top, folder)), mode, folder)
    t.same(await server.end('SIGTERM'), [0, null])
  })
}

t.test('a relative DATA_DIR is below the folder of the process', { skip }, async t => {
  const top = publicFolder(t)
  const bin = path.resolve(import.meta.dirname, '../../bin/reprise.mjs')
  const env = { PATH: process.env.PATH, DATA_DIR: 'srv/data', PORT: '0', ADMIN_TOKEN: 'x'.repeat(20) }
  const child = spawn(process.execPath, [bin, 'serve'], {
    cwd: top,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let stdout = ''
  for await (const piece of child.stdout.setEncoding('utf8')) {
    stdout += piece
    if (stdout.includes('Try it:')) child.kill('SIGTERM')
  }
  t.match(stdout, `Data       ${top}/srv/data (durable)`)
  t.match(stdout, /; environments have user ids of their own/)
  t.equal(modeOf(path.join(top, 'srv')), '711')
})

t.test('a folder that is closed already is named, with the command that opens it', { skip }, async t => {
  const closed: Record<
    string,
    { place: string; env?: (top: string) => Record<string, string>; says: RegExp }
  > = {
    'above the data folder': {
      place: 'shut',
      says: /environments have no user ids of their own, and run as root: user id \d+ cannot use \S+: let other users enter \S+\/shut \(chmod a\+x \S+\/shut\)/,
    },
    'above a link to the data folder': {
      place: 'hidden',
      says: /and run as root: user id \d+ cannot use \S+: let other users enter \S+\/hidden \(chmod a\+x /,
    },
    'above the modules of ENV_PATH': {
      place: 'envs',
      // python3 of this PATH is one that every user may run.
      env: top => ({
        ENV_PATH: path.join(top, 'envs/modules'),
        ENV_UID_BASE: '70000',
        PATH: '/usr/bin:/bin',
      }),
      says: /environments of ENV_PATH have no user ids of their own, and run as root: .*let other users enter \S+\/envs /,
    },
  }
  for (const [what, { place, env, says }] of Object.entries(closed)) {
    const top = publicFolder(t)
    const shut = path.join(top, place)
    mkdirSync(path.join(shut, 'data'), { recursive: true })
    symlinkSync('hidden/data', path.join(top, 'link'))
    if (env !== undefined) cpSync(modules, path.join(shut, 'modules'), { recursive: true })
    chmodSync(shut, 0o700)
    const dataDir = { shut: `${shut}/data`, hidden: path.join(top, 'link'), envs: path.join(top, 'data') }[
      place
    ]
    const first = await spawnServer(t, dataDir ?? '', env?.(top))
    t.match(first.stderr(), says, what)
    t.match(await ready(first.url), env === undefined ? 'none' : 'some')
    const command = /\((chmod a\+x [^)]+)\)/.exec(first.stderr())?.[1] ?? 'false'
    t.same(await first.end('SIGTERM'), [0, null])
    t.equal(spawnSync('sh', ['-c', command]).status, 0)
    const second = await spawnServer(t, dataDir ?? '', env?.(top))
    t.equal(await ready(second.url), 'all', second.stderr())
    t.same(await second.end('SIGTERM'), [0, null])
  }
})
