// Distinguishes a note that a crash has cut off from a note that somebody has changed.

/** The shortest signature as base64: four bytes that name the key, and an Ed25519 signature of 64 bytes. */
const shortestSignature = 92

const size = String.raw`(0|[1-9]\d{0,15})`
const root = '[A-Za-z0-9+/]{43}='
const before = [
  '', // only the origin
  size,
  String.raw`${size}\n[A-Za-z0-9+/]{0,43}`,
  String.raw`${size}\n${root}`,
]
const cutBeforeSignatures = new RegExp(`^(${before.join('|')})$`)
const cutInSignature = new RegExp(
  String.raw`^${size}\n${root}\n\n—(?: [^ \n]*(?: [A-Za-z0-9+/]{0,${shortestSignature - 1}})?)?$`,
)

/** Removes the line ends at the end of a text. Other blanks stay: if there are some, somebody has changed the text. */
export const withoutLineEnds = (text: string): string => {
  let end = text.length
  while (text[end - 1] === '\n') end--
  return text.slice(0, end)
}

/** Whether a text is the beginning of a checkpoint, cut off before its first signature is complete. */
export const isCutOff = (text: string, origin: string): boolean => {
  const whole = withoutLineEnds(text)
  if (whole !== '' && origin.startsWith(whole)) return true
  if (!whole.startsWith(`${origin}\n`)) return false
  const rest = whole.slice(origin.length + 1)
  return cutBeforeSignatures.test(rest) || cutInSignature.test(rest)
}
