/** Everything in pages of the log, in order. */
export const allOf = async <T>(pages: AsyncIterable<T[]>): Promise<T[]> => {
  const found: T[] = []
  for await (const page of pages) found.push(...page)
  return found
}
