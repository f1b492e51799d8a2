// What NATS carries, in numbers.
import { counter, type Family, gauge } from './exposition.ts'

export type NatsCounts = {
  connected: boolean
  reconnects: number
  published: number
  tooLong: number
  position: number
  lag: number
  stopped: boolean
  through: { nats: number; log: number }
  foreign: number
}

export const natsFamilies = (counts: () => NatsCounts): Family[] => [
  gauge('reprise_nats_connected', '1 while there is a connection to NATS.', () => Number(counts().connected)),
  counter('reprise_nats_reconnects_total', 'Connections after the first.', () => counts().reconnects),
  counter('reprise_nats_published_total', 'Events that NATS has taken.', () => counts().published),
  counter('reprise_nats_too_long_total', 'Events that are longer than NATS takes.', () => counts().tooLong),
  gauge('reprise_nats_relay_position', 'NATS has every event up to here.', () => counts().position),
  gauge('reprise_nats_relay_lag_positions', 'How far NATS is behind the log.', () => counts().lag),
  gauge('reprise_nats_relay_stopped', '1 while the stream there is not that of this log.', () =>
    Number(counts().stopped),
  ),
  counter(
    'reprise_nats_told_events_total',
    'Public events as followers were told them: by NATS, or from the log.',
    () => [
      [{ through: 'nats' }, counts().through.nats],
      [{ through: 'log' }, counts().through.log],
    ],
  ),
  counter(
    'reprise_nats_foreign_messages_total',
    'Messages on our subjects that the log does not tell.',
    () => counts().foreign,
  ),
]
