// Collects the output of code, up to a limit.
import { beginning } from './text.ts'

/** The greatest length of the output, in bytes. */
const longest = 64 << 10
const note = '[Cut: the output is longer than 64 KiB]'

/** At most this many characters are taken of one text: one more than fits, to show that the text was longer. */
export const longestText = longest + 1

export const printed = () => {
  const lines: string[] = []
  let room = longest
  const cut = (text: string): string => {
    const short = beginning(text, longest)
    return room >= 0 && short.length === text.length ? text : `${short}\n${note}`
  }
  return {
    add(line: string) {
      if (room >= 0) lines.push(line)
      room -= line.length + 1
    },
    andThen: (value: string): string => cut([...lines, value].join('\n')),
    before: (failure: string): string =>
      cut(lines.length === 0 ? failure : [failure, 'Printed before:', ...lines].join('\n')),
  }
}
