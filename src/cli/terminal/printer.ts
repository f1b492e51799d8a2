// The output of a command: results on stdout, and messages on stderr, which are dim or red if the terminal can show
// that. Both streams may go to the same terminal, so text for one never continues a line that the other has begun.
import { styleText } from 'node:util'

export type Style = 'dim' | 'red' | 'plain'
type Env = Record<string, string | undefined>
type Out = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/**
 * Whether to print colours. The first of these that is given decides: --no-color (`asked` is false), FORCE_COLOR,
 * NO_COLOR. If none is given, only a terminal gets colours.
 */
export const hasColours = (out: Out, env: Env, asked: boolean): boolean => {
  if (!asked) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return !env.NO_COLOR && out.isTTY === true
}

/** Removes control characters: a terminal would carry out control sequences that a model has put into its text. */
export const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '')

/** A text on one line, cut to `max` characters. */
export const shortened = (text: string, max: number): string => {
  const characters = [...withoutControls(text).replace(/\s+/g, ' ').trim()]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('')
}

/** The part of a text that fits on the line after `before`. Without a terminal, the first 200 characters. */
export const fitted = (before: string, text: string, out: Pick<Out, 'isTTY' | 'columns'>): string =>
  shortened(text, out.isTTY ? Math.max(20, (out.columns || 80) - before.length) : 200)

type PrinterDeps = { out: Out; err: Out; env: Env; colours: boolean }

export const createPrinter = ({ out, err, env, colours }: PrinterDeps) => {
  const painted = hasColours(err, env, colours)
  const textPainted = hasColours(out, env, colours)
  /** Whether both streams go to a terminal. */
  const together = out.isTTY === true && err.isTTY === true
  /** Streams whose last line is not ended. */
  const open = new Set<Out>()
  let hint = false

  const clear = () => {
    if (hint) err.write('\r\u001b[K')
    hint = false
  }
  const finish = (to: Out) => {
    if (open.delete(to)) to.write('\n')
  }
  /** Ends the open line of the other stream, which `to` must not continue. */
  const makeRoom = (to: Out) => {
    clear()
    if (together) finish(to === out ? err : out)
  }
  const write = (to: Out, text: string, style: Style) => {
    if (text === '') return
    makeRoom(to)
    const paint = style !== 'plain' && (to === err ? painted : textPainted)
    to.write(paint ? styleText(style, text, { validateStream: false }) : text)
    if (text.endsWith('\n')) open.delete(to)
    else open.add(to)
  }
  /** Moves to a new line on stderr. */
  const startLine = () => {
    makeRoom(err)
    finish(err)
  }

  return {
    /** Adds colours to a part of a row. The text must contain no colours yet. */
    paint: (text: string, style: Style): string => {
      const plain = withoutControls(text)
      return textPainted && style !== 'plain' ? styleText(style, plain, { validateStream: false }) : plain
    },
    /** Writes whole lines to stdout. Resolves with false when the reader has closed the pipe. */
    rows: (lines: string[]): Promise<boolean> => {
      if (lines.length === 0) return Promise.resolve(true)
      makeRoom(out)
      return new Promise(resolve => out.write(`${lines.join('\n')}\n`, error => resolve(!error)))
    },
    /** Writes a piece of text to stdout. */
    text: (text: string, style: Style = 'plain') =>
      write(out, out.isTTY ? withoutControls(text) : text, style),
    /** Writes a piece of a message to stderr. */
    words: (text: string, style: Style = 'dim') => write(err, withoutControls(text), style),
    /** Writes a whole line to stderr. */
    line: (text: string, style: Style = 'dim') => {
      startLine()
      write(err, withoutControls(text), style)
      finish(err)
    },
    /** Shows at a terminal what is in progress. The next output replaces it. */
    hint: (text: string) => {
      if (!err.isTTY) return
      startLine()
      const seen = shortened(text, (err.columns || 80) - 1)
      err.write(painted ? styleText('dim', seen, { validateStream: false }) : seen)
      hint = true
    },
    startLine,
    /** Ends the open lines of both streams. Called after an item of the task. */
    endLines: () => {
      clear()
      finish(out)
      finish(err)
    },
  }
}
export type Printer = ReturnType<typeof createPrinter>
