// Parses comma-separated values (RFC 4180), and finds column types that fit all values.

/** `null`: there is nothing between two commas. The two characters "" between commas are an empty text. */
export type Field = string | null

const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy

export const parseCsv = (text: string): Field[][] => {
  const source = text.replace(/^\ufeff/, '').replace(/\r?\n$/, '')
  const rows: Field[][] = []
  let row: Field[] = []
  let end = 0
  for (const { 0: all, 1: quoted, 2: plain, 3: after, index } of source.matchAll(field)) {
    row.push(quoted?.replaceAll('""', '"') ?? (plain || null))
    end = index + all.length
    if (after === ',') continue
    rows.push(row)
    row = []
    if (after === '') break
  }
  if (end < source.length || row.length > 0) {
    throw new Error(`line ${source.slice(0, end).split('\n').length} is not CSV: a quote is out of place`)
  }
  const [header = []] = rows
  for (const [index, { length }] of rows.entries()) {
    if (length !== header.length) {
      throw new Error(`row ${index + 1} has ${length} fields, the header has ${header.length}`)
    }
  }
  return rows
}

const integer = /^-?(?:0|[1-9]\d{0,17})$/
const real = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The column type that fits all values. 007 is a text, because a number would lose the zeros. */
export const typeOf = (values: Field[]): 'INTEGER' | 'REAL' | 'TEXT' => {
  const present = values.filter(value => value !== null)
  if (present.length === 0) return 'TEXT'
  if (present.every(value => integer.test(value))) return 'INTEGER'
  return present.every(value => real.test(value)) ? 'REAL' : 'TEXT'
}
