// Collections for entries that come and go all the time and that hold much memory, such as requests and connections.
//
// V8 replaces the table of a Map or a Set again and again while entries come and go, and each old table points to the
// next one. Once such a table is in the old generation, a collection of young objects takes everything that the tables
// after it have ever held for live, until the next collection of all objects. So it copies requests that have ended long
// ago, and takes 40 ms instead of 1 ms. Here an entry is a box, which is emptied when the entry is removed.

//
// These are classes, since an object literal with an accessor or a generator function would get a hidden class of its
// own. V8 makes hidden classes as old objects, and each would keep all that its functions see for live until the next
// collection of all objects.

type Box<Value> = { value: Value | undefined }

/** Has the methods of a Map, and keeps the order in which its keys were added. */
export class TransientMap<Key, Value> {
  readonly #boxes = new Map<Key, Box<Value>>()

  get size(): number {
    return this.#boxes.size
  }
  has(key: Key): boolean {
    return this.#boxes.has(key)
  }
  get(key: Key): Value | undefined {
    return this.#boxes.get(key)?.value
  }
  set(key: Key, value: Value): void {
    const box = this.#boxes.get(key)
    if (box === undefined) this.#boxes.set(key, { value })
    else box.value = value
  }
  delete(key: Key): boolean {
    const box = this.#boxes.get(key)
    if (box === undefined) return false
    box.value = undefined
    return this.#boxes.delete(key)
  }
  clear(): void {
    for (const box of this.#boxes.values()) box.value = undefined
    this.#boxes.clear()
  }
  keys(): IterableIterator<Key> {
    return this.#boxes.keys()
  }
  *values(): Generator<Value> {
    for (const { value } of this.#boxes.values()) yield value as Value
  }
  *[Symbol.iterator](): Generator<[Key, Value]> {
    for (const [key, { value }] of this.#boxes) yield [key, value as Value]
  }
}

/** A list of members, in the order in which they joined. */
export class Members<Member> {
  readonly #members = new TransientMap<number, Member>()
  #joined = 0

  get size(): number {
    return this.#members.size
  }
  /** Adds a member. The returned function removes it; further calls do nothing. */
  join(member: Member): () => void {
    const no = ++this.#joined
    this.#members.set(no, member)
    return () => void this.#members.delete(no)
  }
  [Symbol.iterator](): Generator<Member> {
    return this.#members.values()
  }
}
