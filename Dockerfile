# To run: docker build -t reprise . && docker run -p 127.0.0.1:8080:8080 -v reprise:/data reprise
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY toolchain ./toolchain
# The image has the right Node, so the toolchain brings nothing more. esbuild and SQLite contain their binaries: no package needs its
# install script.
RUN npm ci --ignore-scripts
COPY . .
RUN node build.mjs && npm prune --omit=dev --ignore-scripts

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# With these settings, glibc keeps less freed memory (docs/operations.md, Sizing).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576
# bubblewrap is the sandbox for shell commands. docs/operations.md (What runs for users) lists the options that the container needs
# for it.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/dist ./dist
# Docker gives a new volume the owner and the mode of its folder here. A node of a cluster has two more (compose.cluster.yaml).
RUN install -d -o node -g node -m 700 /data /keys /workspace
USER node
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# The check asks only whether the process runs (/healthz). /readyz also fails when the disk is full, which is no reason to kill the
# process.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The server writes to stdout only what it prints for a person at a terminal. Its messages for the operator go to stderr.
# The script collects processes that have lost their parents, and hears a signal that comes before the server does.
CMD ["sh", "-c", "exec sh bin/as-process-1.sh node --max-semi-space-size=64 bin/reprise.mjs serve > /dev/null"]
