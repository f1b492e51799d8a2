// Finds where a long text can be cut without cutting a character in two.

/** The end of a part of a text: `length` code units after `from`, or one more, to keep a surrogate pair whole. */
export const endOfPart = (text: string, from: number, length: number): number => {
  const end = from + length
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}
