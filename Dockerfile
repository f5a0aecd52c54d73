# Throughline in a container. It serves with AUTH_MODE=accounts: inside a container nobody sits at the machine.
# docker compose up   (compose.yaml says what it needs)

FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production \
    AUTH_MODE=accounts \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=file:/data/throughline.db
WORKDIR /app
COPY --from=build --chown=node:node /app .
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/api/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The server itself, not npm: the signal that stops the container reaches it.
CMD ["node", "scripts/start.ts"]
