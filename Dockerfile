# Throughline in a container. It serves with AUTH_MODE=accounts: inside a container nobody sits at the machine.
# docker compose up   (compose.yaml says what it needs)

# A tag can be moved to another image, a digest cannot. docs/deploying.md says how to use a newer one.
ARG NODE_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The image has a Node.js of its own. Everybody may read what was built, whatever the umask of the build.
RUN npm run build && npm prune --omit=dev \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node .next/cache \
  && chmod -R a+rX,go-w .

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    AUTH_MODE=accounts \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=file:/data/throughline.db \
    # `npm run user` works with a root file system that is read-only.
    NPM_CONFIG_LOGS_MAX=0 \
    NPM_CONFIG_UPDATE_NOTIFIER=false
WORKDIR /app
# Belongs to root: a server that was taken over cannot change what it runs. It writes to /data, and to nothing else.
COPY --from=build /app .
# No program may change its user: none keeps the setuid or setgid bit.
RUN install -d -o node -g node -m 700 /data \
  && find / -xdev -type f -perm /6000 -exec chmod a-s {} +
# The user `node` by number, so that Kubernetes can tell that it is not root (runAsNonRoot).
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The server itself, not npm: the signal that stops the container reaches it.
CMD ["node", "--max-semi-space-size=32", "scripts/start.ts"]
