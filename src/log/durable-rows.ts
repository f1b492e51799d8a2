// Hides rows that are in the file but may not be durable yet: a power failure could still lose them.
import type { Row, Store } from './store.ts'

const upTo = (rows: Row[], end: number): Row[] =>
  (rows.at(-1)?.position ?? 0) > end ? rows.filter(({ position }) => position <= end) : rows

/** `end`: the last position that may be read. */
export const durableRows = <S extends Pick<Store, 'page' | 'streamPage'>>(
  store: S,
  end: () => number,
): S => ({
  ...store,
  page: (after, limit) => upTo(store.page(after, limit), end()),
  streamPage: (stream, after, limit) => upTo(store.streamPage(stream, after, limit), end()),
})
