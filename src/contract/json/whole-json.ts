/** Whether a text is JSON from its beginning to its end. */
export const isWholeJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
