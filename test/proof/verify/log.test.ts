// Logs that are verified without a server, against checkpoints that somebody kept.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import t from 'tap'
import { verifyLog } from '../../../src/maintenance/verify/verify-log.ts'
import { originOf, signCheckpoint } from '../../../src/proof/note/checkpoint.ts'
import { makeSigningKey } from '../../../src/proof/note/keys.ts'
import { createRevisions } from '../../../src/proof/verify/chain.ts'
import { isCutOff } from '../../../src/proof/verify/checkpoints-in.ts'
import {
  addCheckpoints,
  addEvents,
  checkpointsOf,
  headOf,
  keyFileOf,
  logOf,
  nameKey,
  noteOf,
} from './signed-folder.ts'

type Given = Partial<Parameters<typeof verifyLog>[0]>
const verified = (dataDir: string, given: Given = {}) => {
  const all = {
    log: logOf(dataDir),
    ownCheckpoints: checkpointsOf(dataDir),
    checkpoints: [],
    key: undefined,
    ...given,
  }
  return verifyLog(all, () => {})
}
const noted = (from: number, count: number, stream = 'task-a') =>
  Array.from({ length: count }, (_, n) => ({
    stream,
    revision: from + n,
    type: 'Noted',
    data: { n: from + n },
  }))

t.test('a log that fits is counted, and its checkpoints are compared while it grows', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 5))
  t.match(
    await verified(dataDir),
    { events: 5, streams: 1, checkpoints: 0, newest: undefined },
    'without a key',
  )
  const key = await nameKey(dataDir)
  addCheckpoints(dataDir, key, [6])
  await addEvents(dataDir, noted(5, 3))
  t.match(await verified(dataDir), { events: 9, streams: 2, erased: 0, checkpoints: 1, newest: { size: 6 } })
  const kept = path.join(dataDir, 'kept')
  writeFileSync(kept, noteOf(dataDir, key, 3))
  const found = await verified(dataDir, { checkpoints: [kept], key: key.verifier })
  t.match(found, { checkpoints: 2, newest: { size: 6, signers: [key.verifier] } })
})

t.test('a long payload is verified by its pieces, and opens a server only when it is there', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 2))
  const text = 'long'.repeat(200_000)
  await addEvents(dataDir, [{ stream: 'task-a', revision: 2, type: 'Noted', data: { text } }])
  await addEvents(dataDir, noted(3, 2))
  t.match(await verified(dataDir), { events: 5, erased: 0 })
  const db = new Database(logOf(dataDir))
  db.exec('DROP TRIGGER pieces_are_never_changed')
  t.ok(db.prepare("UPDATE pieces SET text = replace(text, 'glong', 'gxong') WHERE n = 1").run().changes > 0)
  db.close()
  await t.rejects(verified(dataDir), { position: 3, message: /does not match its digest/ })
  const gone = new Database(logOf(dataDir))
  gone.exec('DROP TRIGGER long_payloads_are_never_removed; DELETE FROM long_payloads')
  gone.close()
  await t.rejects(verified(dataDir), { position: 3, message: /has no payload/ })
  await t.rejects(addEvents(dataDir, noted(5, 1)), /is damaged at position 3/)
})

t.test(
  'threads find in a log of many events what one thread finds, wherever its checkpoints end',
  async t => {
    const root = t.testdir()
    const dataDir = path.join(root, 'data')
    await addEvents(dataDir, noted(0, 3))
    const key = await nameKey(dataDir)
    await addEvents(dataDir, noted(3, 660))
    await addEvents(
      dataDir,
      noted(663, 1).map(event => ({ ...event, data: { text: 'long'.repeat(80_000) } })),
    )
    await addEvents(dataDir, noted(664, 135))
    addCheckpoints(dataDir, key, [256, 300, 301, 512, 513, 640, 768, 799])
    const threads = { helpers: 2, range: 512, width: 256 }
    const alone = await verified(dataDir)
    t.match(alone, { events: 800, checkpoints: 8, newest: { size: 799 } })
    t.same(await verified(dataDir, { threads }), alone)
    t.same(await verified(dataDir, { threads: { ...threads, range: 64, width: 64 } }), alone)
    // A note whose root is wrong is named after the last one that fits, in whichever part it ends.
    for (const [size, fits] of [
      [257, 0],
      [512, 300],
      [641, 513],
    ] as const) {
      const file = path.join(root, `wrong-${size}`)
      const wrong = { origin: originOf(alone.log_id), size, root: 'A'.repeat(43) }
      writeFileSync(
        file,
        [...(fits > 0 ? [noteOf(dataDir, key, fits)] : []), signCheckpoint(wrong, [key])].join('\n'),
      )
      const given = { ownCheckpoints: undefined, checkpoints: [file] }
      for (const each of [given, { ...given, threads }])
        await t.rejects(verified(dataDir, each), { position: fits + 1, message: /has the root/ })
    }
  },
)

t.test('a checkpoint of another log, of another key or of another history does not fit', async t => {
  const root = t.testdir()
  const [ours, theirs] = [path.join(root, 'ours'), path.join(root, 'theirs')]
  for (const dataDir of [ours, theirs]) await addEvents(dataDir, noted(0, 5))
  const [key, other] = [await nameKey(ours), await nameKey(theirs)]
  const file = path.join(root, 'kept')
  const refused = (text: string, why: RegExp, given: Given = {}) => {
    writeFileSync(file, text)
    return t.rejects(verified(ours, { checkpoints: [file], ...given }), { message: why, position: undefined })
  }
  await refused(noteOf(theirs, other, 5), /is of reprise\/log_\w+, not of reprise\/log_/)
  const name = key.verifier.name
  await refused(
    noteOf(ours, makeSigningKey(name, 'note'), 5),
    /line 1 of .+kept proves nothing: the note is signed by/,
  )
  await refused(noteOf(ours, key, 5), /none of these is a given key/, {
    key: makeSigningKey(name, 'note').verifier,
  })
  await refused('no checkpoint at all', /proves nothing/)
})

t.test('two auditors with different checkpoints of one size cannot both be right', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 5))
  const key = await nameKey(dataDir)
  const [one, other] = [path.join(dataDir, 'one'), path.join(dataDir, 'other')]
  writeFileSync(one, noteOf(dataDir, key, 3))
  const at = { ownCheckpoints: undefined, checkpoints: [one, other] }
  writeFileSync(other, noteOf(dataDir, key, 3))
  t.match(await verified(dataDir, at), { checkpoints: 2 })
  const origin = key.verifier.name
  const root = Buffer.alloc(32, 7).toString('base64url')
  writeFileSync(other, signCheckpoint({ origin, size: 3, root }, [key]))
  await t.rejects(verified(dataDir, at), {
    position: undefined,
    message: /one and .+other have different roots: the owner of the key signed two histories/,
  })
})

t.test('a key that was changed is trusted from both sides, when both keys signed the change', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 2))
  const first = await nameKey(dataDir)
  addCheckpoints(dataDir, first, [3])
  const second = await nameKey(dataDir, first, 1)
  addCheckpoints(dataDir, second, [4])
  for (const key of [first, second])
    t.match(await verified(dataDir, { key: key.verifier }), { checkpoints: 2, newest: { size: 4 } })
  const third = await nameKey(dataDir, undefined, 2)
  addCheckpoints(dataDir, third, [5])
  t.match(await verified(dataDir), { checkpoints: 3 }, 'the log names it')
  await t.rejects(verified(dataDir, { key: first.verifier }), { message: /none of these is a given key/ })
})

t.test('after a restore, checkpoints of lost events are counted, and only when the log says so', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 4))
  const key = await nameKey(dataDir)
  const old = noteOf(dataDir, key, 5)
  const root = Buffer.alloc(32, 7).toString('base64url')
  const lost = signCheckpoint({ origin: originOf((await verified(dataDir)).log_id), size: 9, root }, [key])
  writeFileSync(checkpointsOf(dataDir), `${old}\n${lost}\n`)
  const events = [
    { stream: 'log', revision: 0, type: 'LogResumed', data: { old_head: 9, reason: 'restored' } },
  ]
  await t.rejects(verified(dataDir), {
    position: 6,
    message: /is of more events than the log, which has 5: events are missing/,
  })
  await addEvents(dataDir, events)
  addCheckpoints(dataDir, key, [6])
  t.match(await verified(dataDir), { checkpoints: 2, lost: 1, newest: { size: 6 } })
  writeFileSync(checkpointsOf(dataDir), `${old}\n${noteOf(dataDir, key, 3)}\n`)
  await t.rejects(verified(dataDir), {
    message: /comes before one of 3 events, and the log was never restored/,
  })
})

t.test('a payload that is gone without an erasure is a misfit, and so is half of one', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 5))
  const key = await nameKey(dataDir)
  addCheckpoints(dataDir, key, [6])
  const db = new Database(logOf(dataDir))
  db.exec('DROP TRIGGER events_are_never_changed')
  db.exec('UPDATE events SET payload = NULL WHERE position = 2')
  await t.rejects(verified(dataDir), { position: 2, stream: 'task-a', message: 'the event has no payload' })
  db.exec('UPDATE events SET salt = NULL WHERE position = 2')
  db.close()
  await t.rejects(verified(dataDir), {
    position: 2,
    stream: 'task-a',
    message: 'the event has no payload, and no stored event says that it was erased',
  })
})

t.test('a checkpoint that a crash cut off is not taken for one that somebody changed', async t => {
  const origin = 'reprise/log_x'
  const text = noteOf_(origin)
  const lines = text.split('\n').length
  t.ok(lines > 4)
  for (let end = origin.length + 1; end < text.length - 1; end++) {
    const start = text.slice(0, end)
    t.ok(isCutOff(start, origin), JSON.stringify(start))
  }
  t.notOk(isCutOff(text, origin))
  for (const changed of [
    text.replace('\n12\n', '\n1x\n'),
    text.replace('\n12\n', '\n12'),
    text.replace('— ', '- '),
  ])
    t.notOk(isCutOff(changed, origin), JSON.stringify(changed))
})
const noteOf_ = (origin: string): string =>
  `${origin}\n12\n${'A'.repeat(43)}=\n\n— ${origin} ${Buffer.alloc(68, 5).toString('base64')}\n`

t.test('a checkpoint after which another blank stands than a line end proves nothing', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  const key = await nameKey(dataDir)
  await addEvents(dataDir, noted(0, 3))
  addCheckpoints(dataDir, key, [2, 4])
  const file = checkpointsOf(dataDir)
  const notes = readFileSync(file, 'utf8')
  for (const { index } of notes.matchAll(/(?<== ?)\n|\n$/g)) {
    for (const blank of ['\v', ' ', '\r', '\u00a0']) {
      writeFileSync(file, `${notes.slice(0, index)}${blank}${notes.slice(index + 1)}`)
      await t.rejects(verified(dataDir), { message: /proves nothing/ }, JSON.stringify([index, blank]))
    }
  }
  writeFileSync(file, `${notes}\n\n`)
  t.match(await verified(dataDir), { checkpoints: 2 }, 'more empty lines change nothing')
})

t.test('revisions are counted for each stream, whatever its number', t => {
  const revisions = createRevisions()
  for (const stream of [1, 5000, 2 ** 40]) t.equal(revisions.add(stream, 0), undefined)
  t.equal(revisions.add(5000, 1), undefined)
  t.equal(revisions.add(5000, 3), 2)
  t.equal(revisions.add(7, 1), 0)
  t.equal(revisions.streams(), 3)
  t.end()
})

t.test('the support writes what it says', async t => {
  const dataDir = path.join(t.testdir(), 'data')
  await addEvents(dataDir, noted(0, 2))
  await nameKey(dataDir)
  t.equal(headOf(dataDir), 3)
  t.match(readFileSync(keyFileOf(dataDir), 'utf8'), /^PRIVATE\+KEY\+reprise\/log_/)
})
