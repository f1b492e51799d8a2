// Collections for entries that come and go all the time and that hold much memory, such as requests and connections.
//
// V8 replaces the table of a Map or a Set again and again while entries come and go, and each old table points to the
// next one. Once such a table is in the old generation, a collection of young objects takes everything that the tables
// after it have ever held for live, until the next collection of all objects. So it copies requests that have ended long
// ago, and takes 40 ms instead of 1 ms. Here an entry is a box, which is emptied when the entry is removed.

type Box<Value> = { value: Value | undefined }

/** Has the methods of a Map, and keeps the order in which its keys were added. */
export type TransientMap<Key, Value> = {
  readonly size: number
  has(key: Key): boolean
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): boolean
  clear(): void
  keys(): IterableIterator<Key>
  values(): Generator<Value>
  [Symbol.iterator](): Generator<[Key, Value]>
}

export const createTransientMap = <Key, Value>(): TransientMap<Key, Value> => {
  const boxes = new Map<Key, Box<Value>>()
  return {
    get size() {
      return boxes.size
    },
    has: key => boxes.has(key),
    get: key => boxes.get(key)?.value,
    set(key, value) {
      const box = boxes.get(key)
      if (box === undefined) boxes.set(key, { value })
      else box.value = value
    },
    delete(key) {
      const box = boxes.get(key)
      if (box === undefined) return false
      box.value = undefined
      return boxes.delete(key)
    },
    clear() {
      for (const box of boxes.values()) box.value = undefined
      boxes.clear()
    },
    keys: () => boxes.keys(),
    *values() {
      for (const { value } of boxes.values()) yield value as Value
    },
    *[Symbol.iterator]() {
      for (const [key, { value }] of boxes) yield [key, value as Value]
    },
  }
}

/** A list of members, in the order in which they joined. */
export type Members<Member> = {
  readonly size: number
  /** Adds a member. The returned function removes it; further calls do nothing. */
  join(member: Member): () => void
  [Symbol.iterator](): Generator<Member>
}

export const createMembers = <Member>(): Members<Member> => {
  const members = createTransientMap<number, Member>()
  let joined = 0
  return {
    get size() {
      return members.size
    },
    join(member) {
      const no = ++joined
      members.set(no, member)
      return () => void members.delete(no)
    },
    [Symbol.iterator]: members.values,
  }
}
