// The output of code, up to a limit.
import { beginning } from './text.ts'

/** The most bytes of the output. */
const longest = 64 << 10
const note = '[Cut: the output is longer than 64 KiB]'

/** The most characters of one text from the code. It is one more than fits, which shows that the text was longer. */
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
