// What nobody may see of the settings of a model: keys, wherever the operator has put them.

/** Whether values with this name are secret: of options, headers and variables. */
export const isSecret = (name: string): boolean =>
  /key|token|secret|password|credential|authorization|header|cookie/i.test(name)

/** The texts in options that nobody may see. */
export const secretsIn = (value: unknown, isInside = false): string[] => {
  if (typeof value === 'string') return isInside && value !== '' ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => secretsIn(inner, isInside || isSecret(name)))
}

/** Shorter values of a query are no keys, and would hide words of messages. */
const shortest = 8

/** The values in the query of a URL that nobody may see. Versions are none. */
export const secretsOfUrl = (url: string): string[] =>
  [...new URL(url).searchParams].flatMap(([name, value]) =>
    value.length < shortest || /version/i.test(name) ? [] : [value],
  )

/** An address for people: without a password and without the values of its query. */
export const shownUrl = (url: string): string => url.replace(/\/\/[^/]*@/, '//***@').replace(/\?[^#]*/s, '?…')
