// Exact numbers: numbers of JSON texts that JavaScript would write differently. An exact number is what JSON.rawJSON
// makes of the text: a frozen object, which JSON.stringify writes as the text. It keeps this nature only in its thread:
// `carried` and `arrived` bring a value to another thread.

/** A number as its text. */
export type ExactNumber = { readonly rawJSON: string }
/** TypeScript does not know these functions yet. Old browsers, in which the console may run, do not have them. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON?: (text: string) => ExactNumber
  isRawJSON?: (value: unknown) => value is ExactNumber
}
/** Whether exact numbers exist here. */
export const canBeExact = rawJSON !== undefined && isRawJSON !== undefined
/** The exact number of a text, which must be a number of JSON. */
export const exactNumber = rawJSON as (text: string) => ExactNumber
export const isExact: (value: unknown) => value is ExactNumber =
  isRawJSON ?? ((_value): _value is ExactNumber => false)

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/
/** An exponent with more digits is not computed. */
const longestExponent = 15

/** The value of a number as a text that is the same for all texts of this value, such as 1.50 and 15e-1. */
const decimalOf = (text: string): string => {
  const [, sign, whole, fraction = '', exponent = '0'] = parts.exec(text) as unknown as string[]
  const digits = `${whole}${fraction}`
  let [begin, end] = [0, digits.length]
  while (digits[begin] === '0') begin++
  if (begin === end) return '0'
  if (exponent.length > longestExponent) return text
  while (digits[end - 1] === '0') end--
  return `${sign}${digits.slice(begin, end)}e${Number(exponent) - fraction.length + digits.length - end}`
}

/**
 * The number of JavaScript that has the value of an exact number, and so may replace it where only the value counts;
 * undefined: there is none. A fraction counts as held when JavaScript writes the same decimal.
 */
export const heldBy = ({ rawJSON: text }: ExactNumber): number | undefined => {
  const number = Number(text)
  if (!Number.isFinite(number)) return undefined
  return decimalOf(String(number)) === decimalOf(text) ? number : undefined
}

/** The canonical text of an exact number: all texts of one value have the same, and other values have another. */
export const canonicalNumber = (number: ExactNumber): string => {
  const held = heldBy(number)
  return held === undefined ? decimalOf(number.rawJSON) : JSON.stringify(held)
}

/**
 * The nearest number that JavaScript has, for checks and comparisons that may be off by a rounding. It is finite:
 * numbers beyond all others become the largest.
 */
export const nearest = ({ rawJSON: text }: ExactNumber): number =>
  Math.min(Math.max(Number(text), -Number.MAX_VALUE), Number.MAX_VALUE)

/** Whether a value has exact numbers. */
export const hasExact = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (isExact(value)) return true
  for (const key in value) if (hasExact((value as Record<string, unknown>)[key])) return true
  return false
}

/** A copy of a value in which `change` has replaced each exact number. A value without exact numbers is not copied. */
export const mapExact = (
  value: unknown,
  change: (number: ExactNumber, path: (string | number)[]) => unknown,
  path: (string | number)[] = [],
): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (isExact(value)) return change(value, path)
  let copy: unknown[] | Record<string, unknown> | undefined
  for (const [key, child] of Object.entries(value)) {
    const place = Array.isArray(value) ? Number(key) : key
    const changed = mapExact(child, change, [...path, place])
    if (changed === child) continue
    copy ??= Array.isArray(value) ? [...value] : { ...value }
    Object.defineProperty(copy, key, { value: changed, enumerable: true, writable: true, configurable: true })
  }
  return copy ?? value
}

/** Exact numbers, each with the list or object that has it, and its key there. */
type Places = [holder: object, key: string, text: string][]

const takeOut = (holder: object, places: Places): Places => {
  for (const [key, child] of Object.entries(holder)) {
    if (typeof child !== 'object' || child === null) continue
    if (!isExact(child)) takeOut(child, places)
    else {
      places.push([holder, key, child.rawJSON])
      Object.defineProperty(holder, key, { value: null })
    }
  }
  return places
}
/** A value in a message for another thread, without its exact numbers, and the places in `value` where they were. */
export type Carried = { value: { whole: unknown }; places: Places }
/**
 * Makes the message for a value. The exact numbers are taken out of the value itself, because messages cannot carry
 * them. The lists and objects that `places` names arrive as those in the value, since both are in one message.
 */
export const carried = (whole: unknown): Carried => {
  const value = { whole }
  return { value, places: takeOut(value, []) }
}
/** The value of a message that `carried` has made in another thread. */
export const arrived = ({ value, places }: Carried): unknown => {
  for (const [holder, key, text] of places) Object.defineProperty(holder, key, { value: exactNumber(text) })
  return value.whole
}
