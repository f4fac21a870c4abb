# The server for a PostgreSQL database at DATABASE_URL, as a user without rights, on a root file system that may be
# read-only. The embedded PostgreSQL is not in the image: a container that is replaced would leave its data behind.

# Renovate updates the digests. Other images need Node.js 20.19 or later in the 20 series, or 22.12 or later; RUNTIME_IMAGE
# needs no shell.
ARG BUILD_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ARG RUNTIME_IMAGE=node:24.18.0-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${BUILD_IMAGE} AS build
WORKDIR /src
# Dependencies are installed again only when a manifest changes.
COPY .npmrc package.json package-lock.json ./
COPY apps/cli/package.json apps/cli/
COPY apps/console/package.json apps/console/
COPY apps/server/package.json apps/server/
COPY packages/adapters-http/package.json packages/adapters-http/
COPY packages/adapters-memory/package.json packages/adapters-memory/
COPY packages/adapters-pg/package.json packages/adapters-pg/
COPY packages/domain/package.json packages/domain/
COPY packages/promql/package.json packages/promql/
COPY packages/receiver/package.json packages/receiver/
COPY packages/formats/package.json packages/formats/
COPY packages/adapters-egress/package.json packages/adapters-egress/
COPY packages/adapters-prometheus/package.json packages/adapters-prometheus/
COPY packages/adapters-mcp/package.json packages/adapters-mcp/
COPY packages/adapters-clients/package.json packages/adapters-clients/
COPY packages/api/package.json packages/api/
COPY packages/testing/package.json packages/testing/
COPY examples/package.json examples/
COPY test/package.json test/
RUN npm ci --ignore-scripts --no-audit --no-fund \
  --include-workspace-root --workspace apps/console --workspace apps/server
COPY . .
RUN node scripts/console.mjs && node scripts/bundle.mjs && node scripts/help.mjs
WORKDIR /out/opt/tocsin
RUN cp /src/LICENSE . \
  && cp -R /src/apps/server/dist/console /src/apps/server/dist/help /src/apps/server/dist/lib /src/apps/server/dist/tocsin.mjs . \
  && mkdir -p /out/usr/local/bin && ln -s /opt/tocsin/tocsin.mjs /out/usr/local/bin/tocsin

FROM ${RUNTIME_IMAGE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tocsin" \
  org.opencontainers.image.description="Self-hosted SLO tracking with a status API and signed webhook alerts." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}"
COPY --from=build /out/ /
# The commands keep access tokens in the cache, if it can be written.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 XDG_CACHE_HOME=/tmp
USER 10001:10001
WORKDIR /opt/tocsin
EXPOSE 8080
# Not /readyz: a restart of the server does not end an outage of its database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "const { PORT: port, TOCSIN_TLS_CERT_FILE: tls } = process.env; require(tls ? 'https' : 'http').get({ port, host: '127.0.0.1', path: '/healthz', rejectUnauthorized: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/opt/tocsin/tocsin.mjs"]
CMD ["serve"]
