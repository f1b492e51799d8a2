// Splits a text into words.

/** Splits a text into words, each with the space that follows it. Joined, the words are the text again. */
export const words = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []
