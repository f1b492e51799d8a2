import t from 'tap'
import { currentTime } from '../../src/tools/current-time.ts'
import { failure, runTool } from './support.ts'

const timeAt = (iso: string, timezone?: string) =>
  runTool(currentTime({ now: () => Date.parse(iso) }), timezone === undefined ? {} : { timezone })

t.test('the time is told in UTC, or with the offset of a zone at that time of the year', async t => {
  t.equal(await timeAt('2026-01-02T03:04:05.678Z'), '2026-01-02T03:04:05+00:00')
  t.equal(await timeAt('2026-01-02T03:04:05.678Z', 'UTC'), '2026-01-02T03:04:05+00:00')
  t.equal(await timeAt('2026-01-02T03:04:05Z', 'Europe/Berlin'), '2026-01-02T04:04:05+01:00')
  t.equal(await timeAt('2026-07-02T23:04:05Z', 'Europe/Berlin'), '2026-07-03T01:04:05+02:00')
  t.equal(await timeAt('2026-01-01T00:30:00Z', 'America/New_York'), '2025-12-31T19:30:00-05:00')
  t.equal(await timeAt('2026-01-01T00:00:00Z', 'Asia/Kathmandu'), '2026-01-01T05:45:00+05:45')
  t.equal(await timeAt('2026-01-01T00:00:00Z', 'europe/london'), '2026-01-01T00:00:00+00:00')
})

t.test('a zone that nobody knows is named', async t => {
  for (const zone of ['Mars/Olympus', '', 'Europe/Berlin; rm', '../etc']) {
    t.match(
      await failure(timeAt('2026-01-01T00:00:00Z', zone)),
      `There is no time zone "${zone}": use an IANA name`,
    )
  }
})
