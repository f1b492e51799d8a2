// reprise verify and reprise export, as processes, on the folder of a server.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createTask, play, untilStatus } from '../server/wire.ts'
import { runReprise, serveHere } from '../support/server.ts'
import { spoilt } from './folder.ts'
import { jsonLines } from './support.ts'

const run = (dataDir: string, ...args: string[]) => runReprise(args, { DATA_DIR: dataDir })

t.test('a log is verified and a task exported while the server runs, and again without it', async t => {
  const { api, dataDir, stop } = await serveHere(t)
  const task = await play(api, [
    { tool: 'calculator', arguments: { expression: '6*7' } },
    { message: 'done' },
  ])
  await untilStatus(api, task.id, 'completed')
  const root = t.testdir()
  const out = path.join(root, 'task.tar.gz')
  t.match(await run(dataDir, 'verify'), {
    code: 0,
    stdout: /digests, leaves, revisions and positions fit\n(.+\n)*the log fits\n$/,
  })
  t.match(await run(dataDir, 'export', task.id, '--out', out), {
    code: 0,
    stdout: /task\.tar\.gz: the task task_\w+, \d+ events in 1 file, proven by/,
  })
  await createTask(api, { user_message_content: 'x' })
  await stop()

  const whole = await run(dataDir, 'verify', '--json')
  t.equal(whole.code, 0)
  const [verdict] = jsonLines<{ events: number; newest: { size: number; keys: string[] } }>(whole.stdout)
  t.match(verdict, { fits: true, kind: 'log', erased: 0, newest: { size: verdict?.events, keys: [String] } })
  const key = verdict?.newest.keys[0] ?? ''
  const backup = path.join(root, 'backup.db')
  t.equal((await run(dataDir, 'backup', backup)).code, 0)
  const kept = path.join(dataDir, 'checkpoints')
  const twice = ['--checkpoint', kept, '--checkpoint', kept]
  t.match(await run(dataDir, 'verify', '--key', key, ...twice, backup), {
    code: 0,
    stdout: /checkpoints? fits?, the largest of/,
  })
  t.match(await run(dataDir, 'verify', backup), { code: 0, stdout: /no checkpoint was compared/ })

  const asked = await run(dataDir, 'verify', out)
  t.match(asked, {
    code: 1,
    stdout: /it ended with TaskCompleted/,
    stderr: /^reprise: signed by a key you have not checked: reprise\//,
  })
  t.match(await run(dataDir, 'verify', out, '--key', key), { code: 0, stdout: /the export fits\n$/ })
  mkdirSync(path.join(root, 'there'))
  t.equal(spawnSync('tar', ['-xzf', out, '-C', path.join(root, 'there')]).status, 0)
  const alone = spawnSync(process.execPath, ['verify.mjs', '--key', key], {
    cwd: path.join(root, 'there'),
    encoding: 'utf8',
  })
  t.match(alone, { status: 0, stderr: '', stdout: /the export fits\n$/ })

  const events = path.join(root, 'there/events/1.ndjson')
  writeFileSync(events, readFileSync(events, 'utf8').replace('calculator', 'calculatoR'))
  t.match(await run(dataDir, 'verify', path.join(root, 'there'), '--key', key, '--json'), {
    code: 1,
    stdout: /^\{"fits":false,"position":\d+,"stream":"task-/,
    stderr: /^reprise: position \d+, task-task_\w+: the event .+\n$/,
  })
  for (const [args, files] of [
    [['--all'], 1],
    [['--user', 'default'], 2],
    [['--session', task.session_id ?? ''], 1],
  ] as const) {
    const folder = path.join(root, `out${args[0]}`)
    const made = await run(dataDir, 'export', ...args, '--out', folder, '--json')
    t.match(made, { code: 0, stderr: '' })
    const [said] = jsonLines<{ files: number }>(made.stdout)
    t.ok((said?.files ?? 0) >= files)
    t.match(await run(dataDir, 'verify', folder, '--key', key), { code: 0 })
  }
  t.same(
    readdirSync(root).filter(name => name.includes('.part')),
    [],
    'nothing else is left',
  )
})

t.test('the first event that does not fit is named, and wrong usage is exit code 2', async t => {
  const { api, dataDir, stop } = await serveHere(t)
  const task = await play(api, [{ message: 'done' }])
  await untilStatus(api, task.id, 'completed')
  await stop()
  const root = t.testdir()
  const changed = spoilt(
    dataDir,
    path.join(root, 'changed'),
    'log.db',
    `UPDATE events SET payload = '{}' WHERE position = 3`,
  )
  t.match(await run(changed, 'verify'), {
    code: 1,
    stdout: '',
    stderr: /^reprise: position 3, \S+: the event does not match its digest\n$/,
  })
  t.match(await run(dataDir, 'verify', changed), { code: 1, stderr: /position 3/ })
  const cut = spoilt(dataDir, path.join(root, 'cut'), 'log.db', 'DELETE FROM events WHERE position > 3')
  t.match(await run(cut, 'verify'), { code: 1, stderr: /is of more events than the log, which has 3/ })

  const keyless = spoilt(
    dataDir,
    path.join(root, 'keyless'),
    'log.db',
    `DELETE FROM events WHERE position >= (SELECT min(position) FROM events
     WHERE stream_no = (SELECT no FROM streams WHERE id = 'audit-key'))`,
  )
  t.match(await run(keyless, 'verify'), {
    code: 1,
    stderr: /^reprise: position \d+: .*checkpoints has checkpoints, and the log, .* does not name the key/,
  })

  const elsewhere = path.join(root, 'elsewhere')
  writeFileSync(elsewhere, 'no checkpoint')
  const env = { DATA_DIR: dataDir, CHECKPOINT_FILE: elsewhere }
  t.match(await runReprise(['verify'], env), { code: 1, stderr: /elsewhere proves nothing/ })
  const copy = path.join(root, 'copy')
  cpSync(dataDir, copy, { recursive: true })
  t.match(
    await runReprise(['verify', copy], env),
    { code: 0, stdout: /checkpoints? fits?/ },
    'that file is of another folder',
  )

  const [first = ''] = readFileSync(path.join(dataDir, 'checkpoints'), 'utf8').split(/\n(?=reprise)/)
  const useless: [content: string, says: RegExp][] = [
    ['', /useless has no checkpoint that can be compared: the file is empty/],
    ['\n\n', /useless has no checkpoint that can be compared: the file has none/],
    [first.slice(0, -60), /useless has no checkpoint that can be compared: its only checkpoint has no end/],
    [first.split('\n\n')[0] ?? '', /useless/],
    ['a note of something else', /useless proves nothing/],
  ]
  for (const [content, says] of useless) {
    const file = path.join(root, 'useless')
    writeFileSync(file, content)
    const named = ['--checkpoint', path.join(dataDir, 'checkpoints'), '--checkpoint', file]
    t.match(await run(dataDir, 'verify', ...named), { code: 1, stdout: '', stderr: says }, content)
  }

  const out = path.join(root, 'out')
  const wrong: [string[], RegExp][] = [
    [['verify', path.join(root, 'none')], /none is no data folder, no backup and no export/],
    [['verify', '--checkpoint', path.join(root, 'none')], /--checkpoint: there is no file/],
    [['verify', '--key', 'x'], /--key: this is no verifier key/],
    [['export', '--out', out], /name one thing to export/],
    [['export', task.id, '--all', '--out', out], /name one thing to export/],
    [['export', '--session', '', '--out', out], /name one thing to export/],
    [['export', task.id, '--out', root], /exists: choose another name/],
    [['export', task.id, '--out', path.join(root, 'a/b')], /there is no folder .+: make it first/],
    [['export', task.id], /--out/],
  ]
  for (const [args, says] of wrong)
    t.match(await run(dataDir, ...args), { code: 2, stdout: '', stderr: says }, args.join(' '))
  t.match(await run(dataDir, 'export', 'none', '--out', out), {
    code: 1,
    stderr: /the log has no events of the task none/,
  })
  t.notOk(existsSync(out))
})

t.test('an archive can write nothing outside, and a damaged one is refused', async t => {
  const { api, dataDir, stop } = await serveHere(t)
  const task = await play(api, [{ message: 'done' }])
  await untilStatus(api, task.id, 'completed')
  await stop()
  const root = t.testdir()
  const folder = path.join(root, 'export')
  await run(dataDir, 'export', task.id, '--out', folder)
  const tar = (file: string, ...args: string[]) =>
    spawnSync('tar', ['-czf', path.join(root, file), ...args], { cwd: folder, encoding: 'utf8' })
  t.equal(tar('own.tar.gz', '.').status, 0)
  t.match(
    (await run(dataDir, 'verify', path.join(root, 'own.tar.gz'))).stderr,
    /signed by a key/,
    'the archive of another tar',
  )
  writeFileSync(path.join(root, 'outside'), 'x')
  tar('outside.tar.gz', '-P', '../outside', '.')
  t.match(await run(dataDir, 'verify', path.join(root, 'outside.tar.gz')), {
    code: 1,
    stderr: /holds "\.\.\/outside", which does not belong to it/,
  })
  cpSync(folder, path.join(root, 'linked'), { recursive: true })
  rmSync(path.join(folder, 'key'))
  spawnSync('ln', ['-s', '/etc/passwd', path.join(folder, 'key')])
  tar('link.tar.gz', '.')
  t.match(await run(dataDir, 'verify', path.join(root, 'link.tar.gz')), {
    code: 1,
    stderr: /"\.\/key", which is no plain file/,
  })
  const bytes = readFileSync(path.join(root, 'own.tar.gz'))
  writeFileSync(path.join(root, 'short.tar.gz'), bytes.subarray(0, bytes.length / 2))
  t.match(await run(dataDir, 'verify', path.join(root, 'short.tar.gz')), {
    code: 1,
    stderr: /the archive is (damaged|cut off)/,
  })
})
