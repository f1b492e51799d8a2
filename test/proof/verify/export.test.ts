// Exports: whole histories of every recorded log, verified by the file that comes with them, and tampered ones.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { taskEnds } from '../../../src/contract/charts/task-state.ts'
import { chooseCheckpoint } from '../../../src/maintenance/export/export-checkpoint.ts'
import { exportLog } from '../../../src/maintenance/export/export-log.ts'
import { verifyLog } from '../../../src/maintenance/verify/verify-log.ts'
import { type Subject, writeKeys } from '../../../src/proof/export/format.ts'
import { verifyFolder } from '../../../src/proof/export/verify-folder.ts'
import { createLife, ends } from '../../../src/proof/export/verify-streams.ts'
import { keyStream } from '../../../src/proof/note/key-change.ts'
import { makeSigningKey } from '../../../src/proof/note/keys.ts'
import { readRecording, recordingNames } from '../../recorded/files.ts'
import { loadLog } from '../../recorded/load.ts'
import { checkpointsOf, keyFileOf, logOf, nameKey, noteOf } from './signed-folder.ts'

const quiet = () => {}
const exported = (dataDir: string, subject: Subject, folder: string) => {
  const proof = { keyFile: keyFileOf(dataDir), checkpointFile: checkpointsOf(dataDir) }
  return exportLog(
    { log: logOf(dataDir), choose: (rows, changes, end) => chooseCheckpoint(rows, changes, end, proof) },
    subject,
    folder,
    { onStep: quiet },
  )
}
const givenRecorded = async (dataDir: string, name: string) => {
  const { rows } = readRecording(name)
  await loadLog(dataDir, rows)
  const named = rows.filter(({ stream }) => stream === keyStream).length
  const key = await nameKey(dataDir, undefined, named)
  const ended = rows.find(({ header }) => ends.includes(JSON.parse(header).type))
  return {
    key,
    rows,
    id: ended?.stream.slice('task-'.length) ?? '',
    header: JSON.parse(ended?.header ?? '{}'),
  }
}

t.test('recorded logs verify and export', async t => {
  for (const name of recordingNames()) {
    const root = t.testdir()
    const dataDir = path.join(root, 'data')
    const { key, rows, id } = await givenRecorded(dataDir, name)
    const log = { log: logOf(dataDir), ownCheckpoints: undefined, checkpoints: [], key: undefined }
    t.match(await verifyLog(log, quiet), { events: rows.length + 1, erased: 0 }, name)
    for (const subject of [{ kind: 'all', id: '' } as const, { kind: 'task', id } as const]) {
      const folder = path.join(root, subject.kind)
      const { events } = await exported(dataDir, subject, folder)
      const given = { folder, key: key.verifier, checkpoints: [] }
      t.match(await verifyFolder(given, quiet), {
        events,
        subject,
        isKeyChecked: true,
        size: rows.length + 1,
      })
    }
  }
})

t.test('verify.mjs needs nothing but node and the folder, and asks for the key', async t => {
  const root = t.testdir()
  const dataDir = path.join(root, 'data')
  const { key, id, header } = await givenRecorded(dataDir, recordingNames()[0] ?? '')
  const folder = path.join(root, 'alone')
  await exported(dataDir, { kind: 'session', id: header.session_id }, folder)
  rmSync(dataDir, { recursive: true })
  mkdirSync(path.join(root, 'empty'))
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(folder, 'verify.mjs'), ...args], {
      cwd: path.join(root, 'empty'),
      env: {},
      encoding: 'utf8',
    })
  t.match(run('--key', key.verifier.text), {
    status: 0,
    stderr: '',
    stdout: /ended with Task\w+\n(.+\n)+the export fits\n$/,
  })
  t.match(run('--key', key.verifier.text).stdout, `task-${id}: `)
  t.match(run(folder), {
    status: 1,
    stdout: /each is in the tree/,
    stderr: /^verify: signed by a key you have not checked: reprise\//,
  })
  const other = makeSigningKey(key.verifier.name, 'note').verifier.text
  t.match(run('--key', other), { status: 1, stdout: '', stderr: /none of these is a given key/ })
  t.match(run('--key', 'x'), { status: 2, stderr: /usage: node verify\.mjs/ })
  t.match(run('a', 'b'), { status: 2, stderr: /name one folder/ })
  t.match(run(path.join(root, 'empty')), { status: 1, stderr: /the export has no file export\.json/ })
})

type Line = { position: number; header: string; payload: string; salt: string; hashes?: string[] }

t.test('whatever is changed in an export is named', async t => {
  const root = t.testdir()
  const dataDir = path.join(root, 'data')
  const { key, id, rows } = await givenRecorded(dataDir, recordingNames()[0] ?? '')
  const folder = path.join(root, 'task')
  await exported(dataDir, { kind: 'task', id }, folder)
  const events = (at: string) => path.join(at, 'events/1.ndjson')
  const lines = readFileSync(events(folder), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  const [first, second, last] = [lines[0], lines[1], lines.at(-1)]
  if (first === undefined || second === undefined || last === undefined) throw new Error('too few events')
  const write = (at: string, changed: object[]) =>
    writeFileSync(events(at), changed.map(line => `${JSON.stringify(line)}\n`).join(''))
  const replaced = (at: string, file: string, from: string | RegExp, to: string) => {
    const name = path.join(at, file)
    writeFileSync(name, readFileSync(name, 'utf8').replace(from, to))
  }
  const { position } = second
  const stream = `task-${id}`
  const tampered: [
    string,
    (at: string) => void,
    RegExp | { message: RegExp; position?: number; stream?: string },
  ][] = [
    [
      'payload',
      at => write(at, [first, { ...second, payload: '{}' }]),
      { position, stream, message: /match its digest/ },
    ],
    [
      'salt',
      at => write(at, [first, { ...second, salt: first.salt }]),
      { position, message: /match its digest/ },
    ],
    [
      'header',
      at => write(at, [first, { ...second, header: second.header.replace('"owner":"', '"owner":"x') }]),
      { position, message: /not proven by the checkpoint/ },
    ],
    ['position', at => write(at, [first, { ...second, position: position + 1 }]), { message: /not proven/ }],
    [
      'proof',
      at => write(at, [first, { ...second, hashes: second.hashes?.slice(1) }]),
      { position, message: /the proof has only/ },
    ],
    ['no proof', at => write(at, [{ ...first, hashes: undefined }]), { message: /not proven/ }],
    [
      'a hole',
      at => write(at, [first, ...lines.slice(2)]),
      { message: /is revision 2, and revision 1 must come first/ },
    ],
    [
      'without a beginning',
      at => write(at, lines.slice(1)),
      { position, message: /revision 0 must come first/ },
    ],
    ['twice', at => write(at, [...lines, last]), { message: /must come first/ }],
    ['no event', at => write(at, []), { message: /holds no event/ }],
    [
      'no JSON',
      at => writeFileSync(events(at), 'x\n'),
      { message: /line 1 of events\/1\.ndjson is no JSON/ },
    ],
    [
      'a file more',
      at => cpSync(events(at), path.join(at, 'events/2.ndjson')),
      { message: /does not count/ },
    ],
    ['a file less', at => rmSync(events(at)), { message: /has no file events\/1\.ndjson/ }],
    [
      'another task',
      at => replaced(at, 'export.json', `"${id}"`, '"other"'),
      { message: /does not belong to the task other/ },
    ],
    [
      'another size',
      at => replaced(at, 'export.json', /"size": \d+/, '"size": 1'),
      { message: /the checkpoint is of \d+ events/ },
    ],
    [
      'another log',
      at => replaced(at, 'export.json', 'log_recorded', 'log_x'),
      { message: /is of reprise\/log_recorded, not of reprise\/log_x/ },
    ],
    [
      'a signature',
      at => {
        const text = readFileSync(path.join(at, 'checkpoint'), 'utf8')
        const letter = text.at(-30) === 'A' ? 'B' : 'A'
        writeFileSync(path.join(at, 'checkpoint'), `${text.slice(0, -30)}${letter}${text.slice(-29)}`)
      },
      /does not fit the text of the note/,
    ],
    [
      'a smaller tree',
      at => replaced(at, 'checkpoint', /\n\d+\n/, '\n7\n'),
      { message: /does not fit the text of the note/ },
    ],
    [
      'a key',
      at => writeFileSync(path.join(at, 'key'), writeKeys([{ text: key.verifier.text, from: 1 }])),
      { message: /names other keys/ },
    ],
    ['no keys', at => writeFileSync(path.join(at, 'keys.ndjson'), ''), { message: /holds no event|no file/ }],
  ]
  for (const [what, change, expected] of tampered) {
    const copy = path.join(root, 'tampered')
    rmSync(copy, { recursive: true, force: true })
    cpSync(folder, copy, { recursive: true })
    change(copy)
    await t.rejects(verifyFolder({ folder: copy, key: key.verifier, checkpoints: [] }, quiet), expected, what)
  }
  // Without its end, the rest is still true; it is no longer said that the task has ended.
  write(folder, lines.slice(0, 2))
  t.match(await verifyFolder({ folder, key: undefined, checkpoints: [] }, quiet), {
    isKeyChecked: false,
    streams: [{ end: undefined }],
  })

  const whole = path.join(root, 'whole')
  await exported(dataDir, { kind: 'all', id: '' }, whole)
  const all = readFileSync(events(whole), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
  const given = { folder: whole, key: key.verifier, checkpoints: [] }
  write(whole, all.slice(0, -1))
  await t.rejects(verifyFolder(given, quiet), {
    position: 1,
    message: /is of more events than the log, which has \d+: events from here on are missing/,
  })
  write(
    whole,
    all.filter((_, n) => n !== 9),
  )
  await t.rejects(verifyFolder(given, quiet), { position: 10, message: 'the event is missing' })
  write(whole, all)
  const kept = path.join(root, 'kept')
  writeFileSync(kept, noteOf(dataDir, key, 20))
  t.match(await verifyFolder({ ...given, checkpoints: [{ path: kept, bytes: 10_000 }] }, quiet), {
    events: rows.length + 1,
  })
  await t.rejects(
    verifyFolder({ folder, key: key.verifier, checkpoints: [{ path: kept, bytes: 10_000 }] }, quiet),
    {
      message: /cannot be compared with an export/,
    },
  )
})

t.test('the life of a task has one end, as its chart says', t => {
  t.same([...taskEnds].sort(), [...ends].sort())
  const life = createLife('task-a')
  t.match(createLife('task-b').add('TaskStarted'), /only the first event is TaskCreated/)
  for (const type of ['TaskCreated', 'TaskStarted', 'TaskCompleted', 'RewardGiven', 'TaskDeleted'])
    t.equal(life.add(type), undefined)
  t.equal(life.end(), 'TaskCompleted')
  t.match(life.add('TaskStarted'), /the task had ended with TaskCompleted/)
  t.equal(createLife('env-a').add('Anything'), undefined)
  t.end()
})

t.test('an export needs a checkpoint or the key, and something to export', async t => {
  const root = t.testdir()
  const dataDir = path.join(root, 'data')
  const { id } = await givenRecorded(dataDir, recordingNames()[0] ?? '')
  await t.rejects(exported(dataDir, { kind: 'task', id: 'none' }, path.join(root, 'out')), {
    message: /no events of the task none/,
  })
  rmSync(keyFileOf(dataDir))
  await t.rejects(exported(dataDir, { kind: 'task', id }, path.join(root, 'out')), {
    message:
      /there is no checkpoint, and event \d+ must be covered; the key of the log is not in .+start the server/,
  })
  t.same(readdirSync(root), ['data'])
})
