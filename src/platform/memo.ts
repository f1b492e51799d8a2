// Keeps what was made from an object on the object itself, for as long as the object lives.
//
// A WeakMap would do the same, but V8 takes the values of a WeakMap for live in each collection of young objects, even
// when their keys are not. So all that was made for requests that have ended would be copied once more, and become old.

export type Memo<Key extends object, Made> = {
  get(key: Key): Made | undefined
  set(key: Key, made: Made): void
}

/** The objects must not be frozen. `what` names the memo in a debugger. */
export const createMemo = <Key extends object, Made>(what: string): Memo<Key, Made> => {
  const slot = Symbol(what)
  type Holder = { [slot]?: Made }
  return {
    get: key => (key as Holder)[slot],
    set(key, made) {
      const holder: Holder = key
      holder[slot] = made
    },
  }
}
