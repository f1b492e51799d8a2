// The thread of search_files.
import { doJob } from './job-in-thread.ts'
import { search } from './search.ts'

await doJob(search)
