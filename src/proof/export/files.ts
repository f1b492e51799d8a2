// The files of an export, wherever they are: in a folder, or in a page.

export type ExportFiles = {
  /** The text of a file; undefined when no file has this name. */
  text(name: string): string | undefined
  /** The lines of a file, which must exist. */
  lines(name: string): Iterable<string>
  /** The names of all files with events. */
  eventFiles(): string[]
}
