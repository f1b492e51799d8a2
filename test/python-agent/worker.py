"""A worker: python3 worker.py URL TOKEN [JSON of options]. Options of its own begin with _."""

import asyncio
import json
import sys

import reprise_agent
from programs import main as programs
from reprise_agent import agent, serve
from ways import main as ways

given = json.loads(sys.argv[3]) if len(sys.argv) > 3 else {}
reprise_agent.WARN_AFTER, reprise_agent.FAIL_AFTER = 1, 10
reprise_agent.SILENCE = given.get("_silence", reprise_agent.SILENCE)


@agent(version="7")
async def large(ctx):
    text = await ctx.tool("large")
    await ctx.say(f"{len(text)} {text[-1:]}")
    return text


@agent
async def waits(ctx):
    async def effect():
        print("effect begins", flush=True)
        try:
            await asyncio.sleep(0.5)
        finally:
            print("effect ends", flush=True)
        return "done"

    return await ctx.run("effect", effect)


@agent
async def talks(ctx):
    for n in range(60):
        ctx.say("x" * (1 << 20))
        if n % 10 == 9:
            await ctx.tool("next")
    return "said"


async def be_busy():
    """Another part of the application, which leaves the event loop no rest."""
    while True:
        await asyncio.sleep(0)


async def work():
    agents = {"programs": programs, "ways": ways, "large": large, "waits": waits, "talks": talks}
    options = {name: value for name, value in given.items() if not name.startswith("_")}
    busy = asyncio.ensure_future(be_busy()) if given.get("_busy") else None
    try:
        await serve(sys.argv[1], sys.argv[2], agents, **options)
        print("served", flush=True)
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    if busy:
        busy.cancel()


if given.get("_uvloop"):
    import uvloop

    uvloop.install()
asyncio.run(work())
