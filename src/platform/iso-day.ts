// Checks days of the calendar. `Date.parse` alone reads 30 February as 1 or 2 March.

/** Whether a text such as `2028-02-29` names a day that exists in the calendar. */
export const isDay = (text: string): boolean => {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
