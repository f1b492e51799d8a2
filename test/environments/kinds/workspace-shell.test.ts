// The shell, with each sandbox that the machine has.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { failure, folder } from './support.ts'
import { givenWorkspace, type Sandbox, sandboxes, variablesFor } from './workspace-support.ts'

/** Processes of the machine whose command line holds a text. */
const running = (text: string): string[] =>
  readdirSync('/proc').filter(pid => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
    } catch {
      return false // it has just ended
    }
  })
const untilNone = async (text: string) => {
  while (running(text).length > 0) await wait(10)
}
const untilSome = async (text: string) => {
  while (running(text).length === 0) await wait(10)
}
const linuxAlone = process.platform === 'linux' ? false : 'processes are looked up below /proc'
let count = 0
/** A time to sleep that no other process has. */
const sleeping = () => `sleep 6${process.pid}.${++count}`

for (const [sandbox, skip] of Object.entries(sandboxes) as [Sandbox, string | false][]) {
  t.test(`a command with ${sandbox}`, { skip }, async t => {
    t.test('runs in the workspace and tells what it prints, and how it ended', async t => {
      const { shell, got, call } = givenWorkspace(t, {
        sandbox,
        kwargs: { files: { 'a.sh': 'echo "got $1"; echo err >&2' } },
      })
      const emitted: string[] = []
      const done = await shell('bash a.sh 5; echo made > dir-new', {}, { emit: text => emitted.push(text) })
      t.match(done, {
        content: 'got 5\nerr',
        info: { exit_code: 0, timed_out: false, flooded: false, cut: false, sandbox },
      })
      t.equal(emitted.join(''), 'got 5\nerr\n', 'in the order of printing, while it runs')
      t.equal(got('dir-new'), 'made\n')
      t.match(await shell('echo no; exit 3'), { content: 'no\n[Exit code 3]', info: { exit_code: 3 } })
      t.match(await shell('kill -9 $$'), { content: '[Exit code 137]', info: { exit_code: 137 } })
      t.match(await shell('true'), { content: '(no output)' })
      t.match(await shell('no-such-program'), { info: { exit_code: 127 } })
      t.match(await shell('cat'), { info: { exit_code: 0 } }, 'there is no input')
      t.equal(await call('read_file', { path: `${(await shell('pwd')).content}/dir-new` }), 'made\n')
    })

    t.test('sees what it is given and nothing of the service', async t => {
      process.env.REPRISE_TEST_SECRET = 'the secret'
      t.teardown(() => {
        delete process.env.REPRISE_TEST_SECRET
      })
      const { shell } = givenWorkspace(t, { sandbox, env_vars: { TOKEN: 'a "b" $c', LD_BIND_NOW: '1' } })
      const { content } = await shell('env')
      t.match(content, 'TOKEN=a "b" $c\n')
      t.notMatch(content, 'the secret')
      const names = String((await shell('compgen -e')).content)
        .trim()
        .split('\n')
      t.same(names.filter(name => !/^(PWD|OLDPWD|SHLVL|_)$/.test(name)).sort(), [
        'HOME',
        'LANG',
        ...(sandbox === 'bubblewrap' ? ['LD_BIND_NOW'] : []), // outside a sandbox no caller loads libraries
        'PATH',
        'TERM',
        'TOKEN',
      ])
    })

    t.test('is stopped after its time with all that it started', { skip: linuxAlone }, async t => {
      const { shell } = givenWorkspace(t, { sandbox })
      const sleep = sleeping()
      const ended = await shell(`echo begun; ${sleep} & ${sleep}`, { timeout_s: 2 })
      t.match(ended, { content: 'begun\n[Stopped after 2 s]', info: { timed_out: true, exit_code: 137 } })
      await untilNone(sleep.slice(6))
    })

    t.test('leaves nothing in the background', { skip: linuxAlone }, async t => {
      const { shell } = givenWorkspace(t, { sandbox })
      const sleep = sleeping()
      t.match(await shell(`${sleep} & echo started`), { content: 'started' })
      await untilNone(sleep.slice(6))
    })

    t.test('is stopped by the signal, and by closing', { skip: linuxAlone }, async t => {
      const { shell, workspace } = givenWorkspace(t, { sandbox })
      for (const stop of ['signal', 'close'] as const) {
        const controller = new AbortController()
        const sleep = sleeping()
        const told = failure(() => shell(`${sleep} & ${sleep}`, {}, { signal: controller.signal }))
        await untilSome(sleep.slice(6))
        if (stop === 'signal') controller.abort()
        else await workspace.close()
        t.equal(await told, 'The command was stopped', stop)
        await untilNone(sleep.slice(6))
      }
      t.equal(
        await failure(() => shell('echo x > late')),
        'The command was stopped',
        'and none begins afterwards',
      )
    })

    t.test('ends with the process that has started it', { skip: linuxAlone }, async t => {
      const sleep = sleeping()
      const file = path.join(folder(t), 'parent.mts')
      const module = path.resolve('src/environments/kinds/workspace/workspace.ts')
      writeFileSync(
        file,
        `import Workspace from ${JSON.stringify(module)}
         const workspace = new Workspace({}, { dir: ${JSON.stringify(folder(t))}, env_vars: {} })
         const context = { emit() {}, signal: new AbortController().signal, random: Math.random, now: Date.now, env_vars: {} }
         await workspace.step('shell', { command: ${JSON.stringify(`${sleep} & ${sleep}`)} }, context)`,
      )
      const env = { ...process.env, ...variablesFor(sandbox) }
      const parent = spawn(process.execPath, [file], { env, stdio: 'inherit' })
      t.teardown(() => parent.kill('SIGKILL'))
      await untilSome(sleep.slice(6))
      const ended = once(parent, 'exit')
      parent.kill('SIGKILL')
      await ended
      await untilNone(sleep.slice(6))
    })

    t.test('tells the beginning and the end of what is long, and is stopped when it never ends', async t => {
      const { shell } = givenWorkspace(t, { sandbox })
      let emitted = ''
      const long = await shell('seq 100000', {}, { emit: text => (emitted += text) })
      t.match(long, {
        content: /^1\n2\n[\s\S]*\n\[Cut: \d+ characters\]\n[\s\S]*\n99999\n100000$/u,
        info: { cut: true },
      })
      t.match(emitted, /^1\n2\n[\s\S]*\n\[Cut: there is more\]\n$/u)
      t.ok((long.content as string).length < 66_000 && emitted.length < 263_000)
      const flood = await shell('yes', { timeout_s: 120 })
      t.match(flood, {
        content: /\n\[Stopped: it printed more than 64 MiB\]$/,
        info: { flooded: true, exit_code: 137 },
      })
      t.match(await shell('head -c 3 /dev/urandom | wc -c; printf "\\xff\\xc3"'), {
        content: '3\n\ufffd\ufffd',
      })
    })

    t.test('may not take all of the machine', async t => {
      const { shell, workspace } = givenWorkspace(t, { sandbox })
      t.match(await shell('head -c 300000000 /dev/zero > big; echo $?'), {
        content: /File size limit|153|\n1$/,
      })
      t.ok((workspace.observe().size_bytes as number) <= 256 << 20)
      t.match(await shell('ulimit -c -n -v | tr -s " " | sed "s/.* //"'), { content: '0\n1024\n4194304' })
    })
  })
}

t.test('the sandbox', { skip: sandboxes.bubblewrap }, async t => {
  t.test('shows the workspace and the programs of the system, to be read, and nothing else', async t => {
    const { shell, around, outside, dir } = givenWorkspace(t, { sandbox: 'bubblewrap' })
    t.equal((await shell('pwd')).content, '/workspace')
    const top = String((await shell('ls -A /')).content).split('\n')
    t.strictSame(
      top.filter(name => !/^(bin|sbin|lib\w*)$/.test(name)),
      ['dev', 'etc', 'proc', 'tmp', 'usr', 'workspace'],
    )
    for (const forbidden of [
      `cat ${outside}/secret.txt`,
      `ls ${around}`,
      'ls /root /home',
      'cat /etc/shadow',
      'cat /etc/passwd',
      'echo x > /usr/x',
      'echo x > /x',
      'echo x > /etc/x',
      'echo x > /dev/x',
      'mount -t tmpfs none /usr',
      'ln /usr/bin/env hard',
      `cat /proc/1/root${outside}/secret.txt`,
      `kill -9 ${process.pid}`,
    ]) {
      const { content, info } = await shell(forbidden)
      t.not(info?.exit_code, 0, forbidden)
      t.notMatch(content, 'the secret', forbidden)
    }
    t.match(
      await shell("tr '\\0' ' ' < /proc/1/cmdline"),
      { content: /^(?!.*session).*$/ },
      'nor its own place',
    )
    t.match(await shell('ls /proc | grep -c "^[0-9]"'), { content: /^[1-9]$/ }, 'nor other processes')
    t.match(await shell('grep CapEff /proc/self/status; id -u'), {
      content: 'CapEff:\t0000000000000000\n1000',
    })
    t.match(await shell('echo x > /tmp/x && echo y > /dev/shm/y && cat /tmp/x'), { content: 'x' })
    t.match(await shell('ls /tmp /dev/shm'), { content: '/dev/shm:\n\n/tmp:' }, 'which are new each time')
    t.notOk(existsSync(path.join(dir, 'x')))
  })

  t.test('has no network, not even that of the machine itself', async t => {
    const server = createServer(socket => socket.end('the secret'))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as { port: number }
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
    const { shell } = givenWorkspace(t, { sandbox: 'bubblewrap' })
    t.match(await shell(ask), { content: /refused/, info: { exit_code: 1 } })
    const open = givenWorkspace(t, { sandbox: 'limits' })
    t.match(await open.shell(ask), { content: 'the secret' }, 'which can be reached without the sandbox')
  })

  t.test('lets no variable of a caller reach what is outside', async t => {
    const { shell, inside, dir } = givenWorkspace(t, {
      sandbox: 'bubblewrap',
      env_vars: {
        BASH_ENV: '/workspace/env.sh',
        LD_PRELOAD: '/workspace/evil.so',
        PATH: '/workspace:/usr/bin:/bin',
      },
    })
    writeFileSync(inside('env.sh'), `echo read >> ${dir}/escaped; echo read >> /workspace/inside`)
    await shell('true')
    t.notOk(existsSync(path.join(dir, 'escaped')))
    t.ok(existsSync(inside('inside')))
    const { content } = await shell('true')
    t.match(content, 'evil.so', 'the library is looked for')
    t.notMatch(content, 'bwrap', 'but not by what makes the sandbox')
  })

  t.test('kill 0 and what leaves its group hit nothing outside', { skip: linuxAlone }, async t => {
    const { shell, workspace } = givenWorkspace(t, { sandbox: 'bubblewrap' })
    t.match(await shell('kill -9 0'), { info: { exit_code: 137 } })
    const sleep = sleeping()
    t.match(await shell(`setsid ${sleep} & sleep 0.1; echo left`), { content: 'left' })
    await untilNone(sleep.slice(6))
    t.match(workspace.observe(), { sandbox: 'bubblewrap' })
  })
})
