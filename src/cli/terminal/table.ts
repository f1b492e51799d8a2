// Tables of text.

/** Rows with columns of equal width, two spaces apart. The first row has the names of the columns. */
export const tableOf = (rows: string[][]): string[] => {
  const widths = (rows[0] ?? []).map((_, n) => Math.max(...rows.map(row => (row[n] ?? '').length)))
  return rows.map(row =>
    row
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
