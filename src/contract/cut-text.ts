// Cuts long texts, but no character in two.

/** The end of the part of a text that begins at `from` and has `length` code units, or one more. */
export const endOfPart = (text: string, from: number, length: number): number => {
  const end = from + length
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}
