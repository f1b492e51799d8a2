// Converts values of SQLite to JSON and back: large integers are strings, blobs are { base64 }.
export type Json = string | number | null | { base64: string }
export type Bound = string | number | bigint | null | Buffer

export const toJson = (value: unknown): Json => {
  if (typeof value === 'bigint') {
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : String(value)
  }
  if (Buffer.isBuffer(value)) return { base64: value.toString('base64') }
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  return value as string | null
}

const toBound = (value: unknown): Bound => {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'bigint') {
    if (BigInt.asIntN(64, value) === value) return value
    throw new Error(`${value} is no integer of 64 bits: bind it as a string`)
  }
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value
  const { base64, ...others } = (value ?? {}) as Record<string, unknown>
  if (typeof base64 === 'string' && Object.keys(others).length === 0) return Buffer.from(base64, 'base64')
  throw new Error('params must hold strings, numbers, true or false, null, or {"base64": "…"} for a blob')
}

/** The values that a statement binds to its ? (a list) or its :names (an object). */
export const boundOf = (params: unknown): [Bound[] | Record<string, Bound>] | [] => {
  if (params === undefined) return []
  if (Array.isArray(params)) return [params.map(toBound)]
  const named = Object.entries(params as object).map(([name, value]) => [
    name.replace(/^[:@$]/, ''),
    toBound(value),
  ])
  return [Object.fromEntries(named) as Record<string, Bound>]
}

/** Names for the fields of a row. If two columns have the same name, the second gets ":1" at the end. */
export const fieldNames = (columns: string[]): string[] => {
  const names: string[] = []
  for (const column of columns) {
    let name = column
    for (let count = 1; names.includes(name); count++) name = `${column}:${count}`
    names.push(name)
  }
  return names
}
