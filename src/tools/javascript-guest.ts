// JavaScript, as text, that runs in the interpreter before the code of a call: it shows values and errors, and defines
// `console`.

export const file = 'code.js'

/**
 * The code of a function that takes the host's `print` and the task's variables as JSON, and returns `[show,
 * describe]`. It keeps references to the globals that it uses, since the code of the call may redeclare them. Texts
 * cross to the host as JSON, since a string is cut at a NUL otherwise.
 */
export const guest = (longest: number): string => `((print, variables) => {
  const { parse, stringify } = JSON
  const { toString } = Object.prototype
  const Text = String, Failure = Error, Limit = InternalError, Dictionary = Map, Collection = Set
  const plain = (key, value) => {
    if (value instanceof Dictionary || value instanceof Collection) return [...value]
    return typeof value === 'bigint' ? Text(value) : value
  }
  const shown = value => {
    if (typeof value === 'string') return value
    try {
      const isData = typeof value === 'object' && value !== null && !(value instanceof Failure)
      return (isData ? stringify(value, plain) : undefined) ?? Text(value)
    } catch (error) {
      if (error instanceof Limit) throw error
      return toString.call(value)
    }
  }
  const described = error => {
    if (!(error instanceof Failure)) return 'Thrown: ' + shown(error)
    const line = /${file}:(\\d+)/.exec(Text(error.stack))
    return Text(error) + (line ? ' (line ' + line[1] + ')' : '')
  }
  const cross = text => stringify(text.slice(0, ${longest}))
  const log = (...values) => print(cross(values.map(shown).join(' ')))
  const frozen = value => {
    if (typeof value !== 'object' || value === null) return value
    Object.values(value).forEach(frozen)
    return Object.freeze(value)
  }
  // The code of the call may declare a variable of this name, but cannot change this object.
  Object.defineProperty(globalThis, 'env', { value: frozen(parse(variables)), enumerable: true, configurable: true })
  globalThis.console = { log, info: log, warn: log, error: log, debug: log }
  return [value => cross(shown(value)), error => cross(described(error))]
})`
