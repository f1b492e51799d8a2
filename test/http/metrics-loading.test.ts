// A server that nobody scrapes loads nothing for it; and what cannot be counted by a server here.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { createEventCounts } from '../../src/metrics/event-counts.ts'
import { createExposition, gauge } from '../../src/metrics/exposition.ts'
import { createLogCounts } from '../../src/metrics/log-counts.ts'
import { readHistory } from '../history/stored.ts'
import { openOn, to } from '../log/support.ts'
import { failingStore } from '../support/system.ts'
import { families, sampleOf } from './exposition.ts'

const root = path.resolve(import.meta.dirname, '../..')

t.test('prom-client is loaded by the first scrape', async t => {
  const code = `
    import { createRequire } from 'node:module'
    import './src/start/server.ts'
    import { createExposition } from './src/metrics/exposition.ts'
    const loaded = () => Object.keys(createRequire(import.meta.url).cache).some(file => file.includes('prom-client'))
    const scrape = createExposition([])
    const before = loaded()
    await scrape()
    console.log(JSON.stringify([before, loaded()]))
    process.exit()
  `
  const args = ['--input-type=module', '-e', code]
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  t.same(JSON.parse(stdout || stderr), [false, true])
})

t.test('what cannot be read is left out, and the rest is there', async t => {
  const scrape = createExposition([
    gauge('broken', 'x', () => {
      throw new Error('no')
    }),
    gauge('sound', 'x', () => 7),
  ])
  const found = families((await scrape()).text)
  t.same(found.get('broken')?.samples, [])
  t.equal(sampleOf(found, 'sound'), 7)
})

t.test('a batch that could not be written is a failure, and neither a commit nor an append', async t => {
  const counts = createLogCounts()
  const { store, failNext } = failingStore()
  const log = counts.log(await openOn(t, counts.store(store)))
  const of = ({ counts }: { counts: number[] }) => counts.reduce((sum, count) => sum + count, 0)
  await log.append([to('task-a', -1, { n: 0 }, { n: 1 })])
  await log.append([to('other', -1, { n: 0 })])
  failNext('lost')
  await t.rejects(log.append([to('task-a', 1, { n: 2 })]))
  await t.rejects(log.append([to('task-a', 7, { n: 2 })]), 'nor is a conflict')
  t.same([of(counts.commits), of(counts.batches), of(counts.appends)], [2, 2, 2])
  t.equal(counts.batches.sum, 3)
  t.equal(counts.failures(), 1)
  t.equal(counts.turns(), 1)
})

t.test('stored histories say how their effects ended', async t => {
  const expected: Record<string, Record<string, number>> = {
    'abandoned-step': { 'model completed': 2, 'model unknown': 1 },
    canceled: { 'model stopped': 1 },
    'canceled-in-a-tool': { 'model completed': 1, 'tool stopped': 1 },
    failed: { 'model completed': 1, 'model failed': 1 },
    'outcome-unknown': { 'model completed': 1, 'tool unknown': 1 },
    'tools-in-parallel': { 'model completed': 2, 'tool completed': 2 },
    'with-a-subagent': { 'model completed': 2, 'child completed': 1 },
  }
  const folder = path.join(root, 'test/histories')
  for (const [name, effects] of Object.entries(expected)) {
    const file = readdirSync(folder).find(each => each.endsWith(`-${name}.ndjson`)) ?? ''
    const { rows } = readHistory(readFileSync(path.join(folder, file), 'utf8'))
    const events = rows.map(({ position, header, payload }) => ({
      position,
      header: JSON.parse(header),
      data: JSON.parse(payload),
    }))
    const counts = createEventCounts()
    counts.follow(events)
    const found = Object.entries(counts.effects).flatMap(([kind, outcomes]) =>
      Object.entries(outcomes).flatMap(([outcome, count]) =>
        count > 0 ? [[`${kind} ${outcome}`, count]] : [],
      ),
    )
    t.same(Object.fromEntries(found), effects, name)
  }
})
