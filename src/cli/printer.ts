// What a command says while it works: text on stdout, words about it on stderr, dim or red where that can be seen.
// Both may be the same terminal, so neither ever goes on in a line that the other began.
import { styleText } from 'node:util'

export type Style = 'dim' | 'red' | 'plain'
type Env = Record<string, string | undefined>
type Out = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>

/** --no-color, then FORCE_COLOR, then NO_COLOR, then whether a terminal shows it. */
export const hasColours = (out: Out, env: Env, wished: boolean): boolean => {
  if (!wished) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return !env.NO_COLOR && out.isTTY === true
}

/** A terminal would obey what a model has hidden in its text. */
const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, '')

/** A text on one line, at most so many characters of it. */
export const shortened = (text: string, most: number): string => {
  const characters = [...withoutControls(text).replace(/\s+/g, ' ').trim()]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('')
}

/** What of a text still fits behind `before` in a line; where no terminal is, a good deal of it. */
export const fitted = (before: string, text: string, out: Pick<Out, 'isTTY' | 'columns'>): string =>
  shortened(text, out.isTTY ? Math.max(20, (out.columns || 80) - before.length) : 200)

type PrinterDeps = { out: Out; err: Out; env: Env; colours: boolean }

export const createPrinter = ({ out, err, env, colours }: PrinterDeps) => {
  const painted = hasColours(err, env, colours)
  const textPainted = hasColours(out, env, colours)
  /** On one screen; else each goes its own way. */
  const together = out.isTTY === true && err.isTTY === true
  /** Those in the middle of a line. */
  const open = new Set<Out>()
  let hint = false

  const clear = () => {
    if (hint) err.write('\r\u001b[K')
    hint = false
  }
  const finish = (to: Out) => {
    if (open.delete(to)) to.write('\n')
  }
  /** Ends a line that `to` cannot go on in. */
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
  /** Before a line on stderr. */
  const startLine = () => {
    makeRoom(err)
    finish(err)
  }

  return {
    /** A piece of the answer for `rows`, which nobody else has painted. */
    paint: (text: string, style: Style): string => {
      const plain = withoutControls(text)
      return textPainted && style !== 'plain' ? styleText(style, plain, { validateStream: false }) : plain
    },
    /** Whole lines of the answer; false when nobody reads them any more. */
    rows: (lines: string[]): Promise<boolean> => {
      if (lines.length === 0) return Promise.resolve(true)
      makeRoom(out)
      return new Promise(resolve => out.write(`${lines.join('\n')}\n`, error => resolve(!error)))
    },
    /** A piece of the answer. */
    text: (text: string, style: Style = 'plain') =>
      write(out, out.isTTY ? withoutControls(text) : text, style),
    /** A piece of what is said about it. */
    words: (text: string, style: Style = 'dim') => write(err, withoutControls(text), style),
    /** A line of it. */
    line: (text: string, style: Style = 'dim') => {
      startLine()
      write(err, withoutControls(text), style)
      finish(err)
    },
    /** What is under way, at a terminal, until something else is said. */
    hint: (text: string) => {
      if (!err.isTTY) return
      startLine()
      const seen = shortened(text, (err.columns || 80) - 1)
      err.write(painted ? styleText('dim', seen, { validateStream: false }) : seen)
      hint = true
    },
    startLine,
    /** After an item of the task. */
    endLines: () => {
      clear()
      finish(out)
      finish(err)
    },
  }
}
export type Printer = ReturnType<typeof createPrinter>
