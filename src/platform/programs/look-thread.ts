// The thread that looks at the processes of users. It may take long to read the data of a process: the read waits while
// the process holds the lock of its memory, and a process of low priority may hold this lock while it does not run.
import { answerQuestions } from '../threads/answer-questions.ts'
import { look, thisMachine } from './machine-look.ts'

export type Watched = number[]

answerQuestions((watched: Watched) => look(thisMachine(), watched))
