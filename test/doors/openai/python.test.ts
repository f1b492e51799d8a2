// The client of OpenAI for Python, pointed at a server.
import { spawn } from 'node:child_process'
import t from 'tap'
import { pythonWith } from '../../support/python-packages.ts'
import { adminToken, serveHere } from '../../support/server.ts'
import { scriptedModel } from './clients.ts'

const python = pythonWith('openai==3.57.0') ?? ''
const skip = python === '' && "there is no python3 with venv, or OpenAI's package for Python cannot be had"
t.setTimeout(300_000)

const program = `
from openai import OpenAI

client = OpenAI(max_retries=0)
assert client.responses.create(model="echo", input="Hello").output_text == "Hello"

events = list(client.responses.create(model="model", input="Count", stream=True))
assert [event.sequence_number for event in events] == list(range(len(events)))
assert events[-1].response.output_text == "one two three"
rest = list(client.responses.retrieve(events[-1].response.id, stream=True, starting_after=3))
assert [event.sequence_number for event in rest] == list(range(4, len(events)))

tool = {"type": "function", "name": "ask", "parameters": {"type": "object", "properties": {}}}
first = client.responses.create(model="model", input="Ask", tools=[tool])
call = first.output[-1]
assert call.type == "function_call"
answer = {"type": "function_call_output", "call_id": call.call_id, "output": "blue"}
second = client.responses.create(model="model", input=[answer], previous_response_id=first.id)
assert second.output_text == "Blue it is."

chat = client.chat.completions.create(model="model", messages=[{"role": "user", "content": "Hi"}])
assert chat.choices[0].message.content == "Hello!"
assert "echo" in [model.id for model in client.models.list()]
print("done")
`

t.test("Python's client works", { skip }, async t => {
  const model = await scriptedModel(t)
  const { url } = await serveHere(t, model.env)
  await model.script([
    { text: 'one two three' },
    { tool_calls: [{ name: 'ask', arguments: {} }] },
    { text: 'Blue it is.' },
    { text: 'Hello!' },
  ])
  const env = { ...process.env, OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: adminToken }
  const child = spawn(python, ['-c', program], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', piece => (said += piece))
  await new Promise(resolve => child.once('close', resolve))
  t.equal(said, 'done\n')
})
