"""An agent with many ways, one for each test: ctx.config["way"] is its name."""

import asyncio
import datetime
import os
import sys
import threading
import time

import reprise_agent
from reprise_agent import CallError, agent

reprise_agent.WARN_AFTER, reprise_agent.FAIL_AFTER = 0.2, 1.5
WAYS = {}
print("this is printed while the file is read")


def way(main):
    WAYS[main.__name__] = main
    return main


@agent(description="Goes many ways.", parameters={"type": "object", "properties": {"way": {"type": "string"}}})
async def main(ctx):
    return await WAYS[ctx.config["way"]](ctx)


@way
async def prints(ctx):
    print("printed", flush=True)
    os.write(1, b"written\n")
    return "done"


@way
async def sees(ctx):
    given = (ctx.input.text, ctx.input["content"], ctx.vars, ctx.task, ctx.session, ctx.traceparent)
    await ctx.say("said and awaited")
    return [*given, ctx.cancelled.is_set()]


# --- asyncio ---


@way
async def begins_before_await(ctx):
    first, second = ctx.tool("a"), ctx.tool("b")
    return [await second, await first]


@way
async def creates_tasks(ctx):
    return list(await asyncio.gather(asyncio.create_task(ctx.tool("a")), asyncio.ensure_future(ctx.tool("b"))))


@way
async def groups(ctx):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ctx.tool(name)) for name in "abc"]
    return [task.result() for task in tasks]


@way
async def group_fails(ctx):
    try:
        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(ctx.tool(name))
    except ExceptionGroup as errors:
        return [str(error) for error in errors.exceptions]


@way
async def times_out(ctx):
    try:
        async with asyncio.timeout(0.5):
            await ctx.tool("slow")
    except TimeoutError:
        return "too slow"


@way
async def waits_at_most(ctx):
    try:
        return await asyncio.wait_for(ctx.tool("slow"), 2)
    except asyncio.TimeoutError:
        return "too slow"


@way
async def shields(ctx):
    inner = ctx.tool("a")
    try:
        await asyncio.wait_for(asyncio.shield(inner), 2)
    except asyncio.TimeoutError:
        return await inner


@way
async def locks(ctx):
    lock, order = asyncio.Lock(), []

    async def one(name):
        async with lock:
            order.append(await ctx.tool(name))

    await asyncio.gather(one("a"), one("b"))
    return order


@way
async def sleeps_until(ctx):
    await ctx.sleep(datetime.datetime(2030, 1, 1, tzinfo=datetime.timezone.utc))
    return "awake"


@way
async def drops(ctx):
    calls = [ctx.tool("a"), ctx.run("b", lambda: 1), ctx.tool("c", retries=2), ctx.model("x", tools=["y"])]
    for call in calls:
        call.cancel()
    return await ctx.tool("last")


@way
async def leaves_generator(ctx):
    async def items():
        try:
            for name in "ab":
                yield await ctx.tool(name)
        finally:
            ctx.say("closed")

    async for item in items():
        return item


@way
async def iterates_over_set(ctx):
    others = [object() for _ in range(ctx.config["others"])]  # memory is used elsewhere in each run
    tasks = [asyncio.create_task(ctx.tool(name), name=name) for name in "abcdefghij"]
    done, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
    return [task.get_name() for task in [*done, *rest, *asyncio.all_tasks()] if len(task.get_name()) == 1 and others]


# --- outside ---


@way
async def awaits_foreign(ctx):
    await asyncio.get_running_loop().create_future()


@way
async def set_by_thread(ctx):
    loop = asyncio.get_running_loop()
    event = asyncio.Event()
    threading.Timer(0.4, lambda: loop.call_soon_threadsafe(event.set)).start()
    await event.wait()
    return "set"


@way
async def other_loop(ctx):
    await asyncio.new_event_loop().create_future()


@way
async def connects(ctx):
    await asyncio.open_connection("localhost", 1)


@way
async def goes_to_thread(ctx):
    await asyncio.to_thread(time.sleep, 1)


@way
async def unordered(ctx):
    async def one(name):
        return await ctx.tool(name)

    return [await each for each in asyncio.as_completed([one("a"), one("b")])]


@way
async def as_it_ends(ctx):
    return [await each for each in asyncio.as_completed([ctx.tool("a"), ctx.tool("b")])]


@way
async def never_ends(ctx):
    while True:
        await asyncio.sleep(0)


# --- misuse ---


@way
async def returns_a_date(ctx):
    return {"when": [datetime.date(2030, 1, 1)]}


@way
async def returns_a_call(ctx):
    return [ctx.tool("a")]


@way
async def returns_nan(ctx):
    return {"a": float("nan")}


@way
async def returns_large_number(ctx):
    return 2**60


@way
async def gives_a_set(ctx):
    await ctx.tool("a", {"ids": {1, 2}})


@way
async def gives_a_list(ctx):
    await ctx.tool("a", [1])


@way
async def has_no_name(ctx):
    await ctx.tool("")


@way
async def has_bad_timeout(ctx):
    await ctx.tool("a", timeout="1s")


@way
async def has_bad_retries(ctx):
    await ctx.tool("a", retries=-1)


@way
async def runs_a_value(ctx):
    await ctx.run("a", 5)


@way
async def says_a_number(ctx):
    ctx.say(5)


@way
async def says_much(ctx):
    ctx.say("é" * (5 << 18))
    return "said"


@way
async def gives_too_many(ctx):
    await ctx.tool("a", {"all": [1] * 90_000})


@way
async def names_a_prototype(ctx):
    await ctx.tool("a", {"__proto__": 1})


@way
async def has_long_name(ctx):
    await ctx.tool("x" * 257)


@way
async def asks_too_much(ctx):
    await ctx.tool("a", {"text": "x" * (17 << 20)})


@way
async def sleeps_naively(ctx):
    await ctx.sleep(datetime.datetime(2030, 1, 1))


@way
async def exits(ctx):
    sys.exit("enough")


@way
async def exits_in_a_task(ctx):
    async def one():
        sys.exit(3)

    await asyncio.create_task(one())


@way
async def uses_ctx_in_run(ctx):
    async def effect():
        await ctx.tool("a")

    await ctx.run("effect", effect)


@way
async def uses_ctx_late(ctx):
    async def late():
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            try:
                ctx.say("late")
            except RuntimeError as error:
                print(f"late: {error}", file=sys.stderr)

    asyncio.create_task(late())
    await asyncio.sleep(0)
    return "done"


@way
async def goes_deep(ctx):
    value = []
    value.append(value)
    return value


# --- runs ---


@way
async def runs_block_each_other(ctx):
    barrier = threading.Barrier(40, timeout=20)
    return len(await asyncio.gather(*(ctx.run("meet", lambda: barrier.wait(), safe=True) for _ in range(40))))


@way
async def run_gives_a_date(ctx):
    await ctx.run("date", lambda: datetime.date(2030, 1, 1))


@way
async def run_blocks(ctx):
    return await ctx.run("block", lambda: time.sleep(0.5) or threading.current_thread().name != "MainThread")


@way
async def run_is_async(ctx):
    async def effect():
        await asyncio.sleep(0.05)  # a real one: this runs in the loop of the process
        reader = await asyncio.to_thread(lambda: 7)
        return [reader, type(asyncio.get_running_loop()).__name__ != "CodeLoop"]

    return await ctx.run("effect", effect)


@way
async def run_gives_an_awaitable(ctx):
    async def effect():
        return 7

    return await ctx.run("effect", lambda: effect())


@way
async def run_is_slow(ctx):
    async def effect():
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("effect cancelled", file=sys.stderr)
            raise

    try:
        await ctx.run("slow", effect, timeout=100)
    except reprise_agent.TimeoutError as error:
        assert isinstance(error, TimeoutError) and isinstance(error, asyncio.TimeoutError)
        return "too slow"


@way
async def run_watches_cancelled(ctx):
    def effect():
        while not ctx.cancelled.is_set():
            time.sleep(0.01)
        print("effect has seen it", file=sys.stderr)

    try:
        await ctx.run("watch", effect)
    finally:
        ctx.say("nothing of this is sent")
        print("code cancelled", file=sys.stderr)
        await ctx.tool("nothing of this either")


@way
async def many(ctx):
    return len(await asyncio.gather(*(ctx.tool("a", {"n": n}) for n in range(1500))))


@way
async def fails_unseen(ctx):
    ctx.tool("a")
    return await ctx.tool("b")
