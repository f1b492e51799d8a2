// Prints a stream while it arrives. Each item gets a line, which begins with the number of the item's first frame.
import type { ToolResultItem } from '../../contract/wire.ts'
import type { Frame } from '../../history/frames.ts'
import type { Printer, Style } from '../terminal/printer.ts'
import { shortened } from '../terminal/printer.ts'

type Item = { type: string; name?: string; status?: string }

const kinds: Record<string, string> = { tool_call: 'tool call', tool_result: 'result' }
const kindWidth = 11
const shownResult = 60

export const createStory = (printer: Printer) => {
  /** The kind of the newest item, and whether the item's line is open for more text. */
  let kind = ''
  let goesOn = false
  /** The number of the first of the frames that end the current item. */
  let ending: number | undefined

  const line = (number: number | undefined, name: string, style: Style = 'plain') => {
    printer.endLines()
    printer.text(`${String(number ?? '').padStart(5)}  `, 'dim')
    printer.text(name, style)
    goesOn = false
  }
  const said = (name: string, text: string) => printer.text(' '.repeat(kindWidth - name.length) + text)
  const itemLine = (number: number, text = '') => {
    line(number, kind)
    said(kind, text)
    goesOn = true
  }

  return {
    /** Prints something that happens to the server or the connection. */
    happens(name: string, text: string): void {
      line(undefined, name, 'red')
      said(name, `${text}\n`)
    },
    frame(frame: Frame): void {
      const { type, sequence_number: number } = frame
      const item = frame.item as Item | undefined
      if (type === 'task.output_item.added') {
        kind = kinds[item?.type ?? ''] ?? item?.type ?? ''
        itemLine(number, item?.name === undefined ? '' : `${item.name} `)
      } else if (type.endsWith('.delta')) {
        if (!goesOn) itemLine(number) // this text was stored before the crash and received after it
        printer.text(String(frame.delta))
      } else if (type === 'task.tool_result.done') {
        const { message_content } = frame as unknown as ToolResultItem
        printer.text(shortened(typeof message_content === 'string' ? message_content : '', shownResult))
      } else if (type === 'task.output_item.done') {
        if (item?.status === 'incomplete') {
          line(ending ?? number, 'cut off')
          said('cut off', 'a step is stored whole or not at all: it begins again')
        }
        printer.endLines()
        ending = undefined
      } else if (type.endsWith('.done')) ending ??= number
      else if (frame.timestamp !== undefined) {
        line(number, type.slice('task.'.length))
        printer.endLines()
      }
    },
  }
}
