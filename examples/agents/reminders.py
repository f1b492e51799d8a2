"""Reminds somebody of an invoice each week, until it is paid. Needs nothing but the standard library."""

import json
import urllib.request

from reprise_agent import TimeoutError, agent

DAY = 86_400_000


def post(url, letter):
    """Sends a letter, and gives the number that the other side has for it."""
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(letter).encode())) as answer:
        return json.load(answer)["number"]


@agent(description="Reminds somebody of an invoice each week, until a message says that it is paid.")
async def main(ctx):
    week = 7 * DAY if "wait_ms" not in ctx.config else ctx.config["wait_ms"]
    for n in range(1, 4):
        letter = {"reminder": n, "text": ctx.input.text}
        number = await ctx.run(f"reminder {n}", lambda: post(ctx.vars["MAIL_URL"], letter))
        ctx.say(f"Reminder {n} has the number {number}.")
        try:
            message = await ctx.message(timeout=week)
        except TimeoutError:
            continue
        return f"Paid after {n} reminders: {message.text}"
    return await ctx.ask("call_customer", {"invoice": ctx.input.text})
