// The thread that adds up the disk use of folders, one job after another.
import { answerQuestions } from '../../platform/threads/answer-questions.ts'
import { threadGivesWay } from '../../platform/threads/give-way.ts'
import { walk } from './walk.ts'

threadGivesWay('all')
answerQuestions(walk)
