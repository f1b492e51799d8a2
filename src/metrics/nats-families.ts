// The metrics of NATS.
import { counter, type Family, gauge } from './exposition.ts'

export type NatsCounts = {
  connected: boolean
  reconnects: number
  published: number
  tooLong: number
  position: number
  lag: number
  stopped: boolean
  delivered: { nats: number; log: number }
  foreign: number
}

export const natsFamilies = (counts: () => NatsCounts): Family[] => [
  gauge('reprise_nats_connected', '1 while there is a connection to NATS.', () => Number(counts().connected)),
  counter(
    'reprise_nats_reconnects_total',
    'Connections to NATS after the first one.',
    () => counts().reconnects,
  ),
  counter('reprise_nats_published_total', 'Events that NATS has accepted.', () => counts().published),
  counter(
    'reprise_nats_too_long_total',
    'Events that were not sent because they are longer than NATS allows.',
    () => counts().tooLong,
  ),
  gauge(
    'reprise_nats_relay_position',
    'The position up to which NATS has every event.',
    () => counts().position,
  ),
  gauge('reprise_nats_relay_lag_positions', 'Positions by which NATS is behind the log.', () => counts().lag),
  gauge(
    'reprise_nats_relay_stopped',
    '1 while NATS gets no events until the operator solves a problem, such as a stream of another log, or one that takes no events.',
    () => Number(counts().stopped),
  ),
  counter(
    'reprise_nats_delivered_events_total',
    'Public events that subscribers got, by their source: NATS or the log.',
    () => [
      [{ through: 'nats' }, counts().delivered.nats],
      [{ through: 'log' }, counts().delivered.log],
    ],
  ),
  counter(
    'reprise_nats_foreign_messages_total',
    'Messages on subjects of the server that do not come from this log.',
    () => counts().foreign,
  ),
]
