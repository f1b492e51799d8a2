// Puts generated text into a page, between two markers.

/** Throws when the page lacks the markers. `page`: its name, for the error. */
export const between = (text: string, page: string, name: string, made: string): string => {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no markers for ${name}: add ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n${made}\n${text.slice(to)}`
}
