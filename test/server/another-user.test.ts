// The server gets another user: one message names everything that this user may not use, and the one command that mends
// it, which changes nothing that is not of the server. Each message is obeyed to the letter, by root.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { envCalls } from '../http/env-calls.ts'
import { another, noOther, publicFolder } from '../support/another-user.ts'
import { refusedStart, spawnServer } from '../support/server.ts'

t.jobs = 2
const { uid } = another
const people = { session_id: 'people', env_id: 'sql', env_init_kwargs: { csv: { people: 'name\nAnn\n' } } }
const query = ['people', 'query', { sql: 'SELECT * FROM people' }] as const

/** Everything in a folder gets an owner; links are not followed. */
const giveAll = (place: string, owner: number): void => {
  spawnSync('chown', ['-R', '-P', `${owner}`, place])
}
/** A data folder that root has used for a while, with a session and a workspace. */
const usedByRoot = async (t: Test, dataDir: string) => {
  const server = await spawnServer(t, dataDir)
  t.equal((await envCalls(server.api).create(people)).status, 200)
  mkdirSync(path.join(dataDir, 'workspace/ann'), { recursive: true, mode: 0o700 })
  t.same(await server.end('SIGTERM'), [0, null])
}
/** The command in a message of a start. */
const commandIn = (stderr: string): string =>
  /(?:rights|owner|in it): ((?:chown|chmod|find) .+?)(?:; or set another DATA_DIR)?\n$/.exec(stderr)?.[1] ??
  ''

type Given = { top: string; dataDir: string }
type Row = {
  /** Changes a folder that `another` has used. */
  make(given: Given): void
  says: RegExp
  command(given: Given): string
  /** What must be as it was after the command. */
  after?(t: Test, given: Given): void
  env?(given: Given): Record<string, string>
}
const ownerOf = (file: string) => lstatSync(file).uid
const session = 'environments/default/people'

const rows: Record<string, Row> = {
  'everything belongs to root, and the folder is closed': {
    make: ({ dataDir }) => giveAll(dataDir, 0),
    says: /may not write in \S+, which belongs to the user 0: .*if the folder is for reprise alone/,
    command: ({ dataDir }) => `chown -R ${uid} ${dataDir}`,
  },
  'everything belongs to root, and the folder can be listed': {
    make({ dataDir }) {
      giveAll(dataDir, 0)
      chmodSync(dataDir, 0o755)
    },
    says: /may not read and write the folder itself, \S+, \S+ and \d+ more, which belong to the user 0: run reprise as that user, or/,
    command: ({ dataDir }) => `chown -R ${uid} ${dataDir}`,
  },
  'only the files of a session belong to a program that root has run': {
    make: ({ dataDir }) => giveAll(path.join(dataDir, session, 'files'), 70_001),
    says: /may not read and write environments\/default\/people\/files, which belongs to the user 70001/,
    command: ({ dataDir }) => `chown -R ${uid} ${dataDir}`,
  },
  'a command of root has left its lock and a WAL': {
    make({ dataDir }) {
      for (const name of ['lock.db', 'log.db-wal']) {
        writeFileSync(path.join(dataDir, name), '', { mode: 0o600 })
        chownSync(path.join(dataDir, name), 0, 0)
      }
    },
    says: /may not read and write lock\.db, log\.db-wal, which belong to the user 0/,
    command: ({ dataDir }) => `chown -R ${uid} ${dataDir}`,
  },
  'secrets of another user that a group may read': {
    make({ dataDir }) {
      chownSync(path.join(dataDir, 'secrets.db'), 0, another.gid)
      chmodSync(path.join(dataDir, 'secrets.db'), 0o660)
    },
    says: /may not read and write secrets\.db, which belongs to the user 0/,
    command: ({ dataDir }) => `chown -R ${uid} ${dataDir}`,
  },
  'the workspace of one user': {
    make: ({ dataDir }) => giveAll(path.join(dataDir, 'workspace/ann'), 0),
    says: /may not read and write workspace\/ann, which belongs to the user 0/,
    command: ({ dataDir }) => `chown -R ${uid} ${dataDir}`,
  },
  'a volume with lost+found, which stays as it is': {
    make({ dataDir }) {
      giveAll(dataDir, 0)
      chmodSync(dataDir, 0o755)
      for (const name of readdirSync(dataDir))
        if (!['log.db', 'environments'].includes(name)) giveAll(path.join(dataDir, name), uid)
      mkdirSync(path.join(dataDir, 'lost+found'), { mode: 0o700 })
    },
    says: /may not read and write the folder itself, environments, /,
    command: ({ dataDir }) =>
      `chown ${uid} ${dataDir} && chown -R ${uid} ${dataDir}/environments ${dataDir}/log.db`,
    after: (t, { dataDir }) => t.equal(ownerOf(path.join(dataDir, 'lost+found')), 0),
  },
  'a link leads to the folder': {
    make({ top, dataDir }) {
      renameSync(dataDir, path.join(top, 'real'))
      symlinkSync('real', dataDir)
      chownSync(path.join(top, 'real/log.db'), 0, 0)
    },
    says: /may not read and write log\.db, which belongs to the user 0/,
    command: ({ top }) => `chown -R ${uid} ${top}/real`,
  },
  'the log is on another disk': {
    make({ top, dataDir }) {
      mkdirSync(path.join(top, 'disk'))
      chownSync(path.join(top, 'disk'), uid, another.gid)
      renameSync(path.join(dataDir, 'log.db'), path.join(top, 'disk/log.db'))
      symlinkSync('../disk/log.db', path.join(dataDir, 'log.db'))
      chownSync(path.join(top, 'disk/log.db'), 0, 0)
    },
    says: /may not read and write \S+\/disk\/log\.db, which belongs to the user 0/,
    command: ({ top }) => `chown -R ${uid} ${top}/disk/log.db`,
  },
  'a file of a session is a file of somebody else, too': {
    make({ top, dataDir }) {
      writeFileSync(path.join(top, 'precious'), 'of root', { mode: 0o600 })
      linkSync(path.join(top, 'precious'), path.join(dataDir, session, 'files/second-name'))
      giveAll(path.join(dataDir, session, 'states'), 0)
    },
    says: /may not read and write environments\/default\/people\/states/,
    command: ({ dataDir }) => `find ${dataDir} \\( -type d -o -links 1 \\) -exec chown -h ${uid} {} +`,
    after: (t, { top }) => t.equal(ownerOf(path.join(top, 'precious')), 0, 'it keeps its owner'),
  },
  'the right user has lost its rights': {
    make({ dataDir }) {
      chmodSync(path.join(dataDir, 'log.db'), 0o400)
      chmodSync(path.join(dataDir, 'environments'), 0o500)
    },
    says: /may not read and write environments, log\.db, which belong to the user \d+: give it the rights: /,
    command: ({ dataDir }) => `chmod -R u+rwX ${dataDir}`,
  },
  'a path with a space': {
    make({ dataDir }) {
      chownSync(path.join(dataDir, 'log.db'), 0, 0)
    },
    says: /may not read and write log\.db/,
    command: ({ dataDir }) => `chown -R ${uid} '${dataDir}'`,
  },
  'the audit key, which is elsewhere': {
    make({ top, dataDir }) {
      renameSync(path.join(dataDir, 'audit-key'), path.join(top, 'key'))
      chownSync(path.join(top, 'key'), 0, 0)
    },
    says: /may not read and write \S+\/key, which belongs to the user 0/,
    command: ({ top }) => `chown -R ${uid} ${top}/key`,
    env: ({ top }) => ({ AUDIT_KEY_FILE: path.join(top, 'key') }),
  },
}

for (const [what, { make, says, command, after, env }] of Object.entries(rows)) {
  t.test(`${what}: one message, one command, and everything works`, { skip: noOther }, async t => {
    const top = publicFolder(t)
    const dataDir = path.join(top, what === 'a path with a space' ? 'my data' : 'data')
    const given = { top, dataDir }
    mkdirSync(dataDir, { mode: 0o700 })
    await usedByRoot(t, dataDir)
    giveAll(dataDir, uid)
    make(given)
    const { code, stdout, stderr } = await refusedStart(dataDir, env?.(given), another)
    t.same({ code, stdout }, { code: 2, stdout: '' }, stderr)
    t.match(stderr, /^reprise: DATA_DIR=[^\n]+ cannot be used: [^\n]+\n$/)
    t.match(stderr, says)
    t.equal(commandIn(stderr), command(given))
    t.equal(spawnSync('sh', ['-c', commandIn(stderr)]).status, 0)
    const server = await spawnServer(t, dataDir, env?.(given), [], another)
    t.match(await envCalls(server.api).step(...query), { status: 200 }, 'the session is usable')
    t.same(await server.end('SIGTERM'), [0, null])
    after?.(t, given)
  })
}

t.test('a folder of others is never given away', { skip: noOther }, async t => {
  const top = publicFolder(t)
  const shared = path.join(top, 'shared')
  mkdirSync(path.join(shared, 'projects'), { recursive: true })
  for (const dataDir of [shared, '/root']) {
    const { code, stderr } = await refusedStart(dataDir, {}, another)
    t.equal(code, 2)
    t.match(
      stderr,
      /is not for reprise alone: let root make a folder in it: install -d -m 700 -o 65533 \S+\/reprise;/,
    )
    t.notMatch(stderr, /chown/)
  }
})

t.test('files of others in a workspace of the operator do not hinder a start', { skip: noOther }, async t => {
  const top = publicFolder(t)
  const [dataDir, WORKSPACE_ROOT] = ['data', 'shared'].map(name => path.join(top, name)) as [string, string]
  for (const folder of [dataDir, WORKSPACE_ROOT]) {
    mkdirSync(folder)
    chownSync(folder, uid, another.gid)
  }
  mkdirSync(path.join(WORKSPACE_ROOT, 'bob'), { mode: 0o700 })
  writeFileSync(path.join(dataDir, 'note'), 'of the operator', { mode: 0o600 })
  const server = await spawnServer(t, dataDir, { WORKSPACE_ROOT }, [], another)
  t.same(await server.end('SIGTERM'), [0, null])
  t.equal(ownerOf(path.join(WORKSPACE_ROOT, 'bob')), 0)
})
