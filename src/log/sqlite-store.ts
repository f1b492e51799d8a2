// A log in a SQLite file: a writer and a reader on connections of their own.
import { openForWriting } from './sqlite-file.ts'
import { sqliteReader } from './sqlite-reader.ts'
import { sqliteWriter, type Writer } from './sqlite-writer.ts'
import type { Store } from './store.ts'

export const sqliteStore = (path: string, newLogId: () => string): Store => {
  const openWriter = (): Writer => sqliteWriter(openForWriting(path, newLogId))
  let writer = openWriter()
  const reader = sqliteReader(path)
  return {
    ...reader,
    write: async batch => writer.write(batch),
    reopen: async () => {
      writer.close()
      writer = openWriter()
    },
    close: async () => {
      await reader.close()
      writer.close()
    },
  }
}
