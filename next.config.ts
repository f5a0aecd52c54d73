import type { NextConfig } from 'next';

/**
 * Server packages that Node.js loads unbundled. libSQL has native code; the others are large (the tokenizer's
 * vocabulary, the AI SDK), and bundling copies them into every route: that made the build seven times as long.
 */
const notBundled = [
  '@ai-sdk/openai-compatible',
  '@libsql/client',
  '@libsql/hrana-client',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/server',
  '@openrouter/ai-sdk-provider',
  '@opentelemetry/api',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/exporter-metrics-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/sdk-node',
  '@redis/client',
  'ai',
  '@wordpress/block-serialization-default-parser',
  'better-auth',
  'drizzle-orm',
  'fast-xml-parser',
  'gpt-tokenizer',
  'libsql',
  'nodemailer',
  'pino',
  'rehype-parse',
  'rehype-remark',
  'rehype-stringify',
  'remark-parse',
  'remark-rehype',
  'remark-stringify',
  'unified',
  'undici',
];

const config: NextConfig = {
  // Headers that depend on how the server was started, and headers of every response, are set before Next:
  // scripts/lib/serve.
  poweredByHeader: false,
  // `npm run dev` binds to this address; without this line Next serves its dev resources to localhost only.
  allowedDevOrigins: ['127.0.0.1'],
  // Do not write files for coding agents into the project.
  agentRules: false,
  serverExternalPackages: notBundled,
  turbopack: { resolveAlias: { '@ai-sdk/gateway': { browser: './components/api/no-gateway.ts' } } },
  // Minifying server files would gain nothing: they are read once, from the local disk.
  // `authInterrupts`: a page that the user may not see answers 403. Routes are loaded with their first request: loading
  // all of them at the start made the start a third longer and took 240 MB.
  // `turbopackFileSystemCacheForBuild` is off: the cache saves 30 s of a repeated build (75 s instead of 105 s on two
  // slow cores), but takes 640 MB of disk space and half as much processor time again in a first build.
  // `turbopackChunking`: few requests per page, because a request costs more here than the bytes of unused code in a
  // shared chunk.
  experimental: {
    serverMinification: false,
    authInterrupts: true,
    preloadEntriesOnStart: false,
    turbopackFileSystemCacheForBuild: false,
    turbopackChunking: {
      minChunkSize: 3_000_000,
      maxChunkCountPerGroup: 3,
      maxMergeChunkSize: 30_000_000,
      requestCost: 50_000_000,
      priorityRoutes: [/^\/(c\/.*)?$/],
    },
  },
  // `npm test` runs tsc on the whole project, tests included; users who only start the app need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Images come from the site's own media and are served unchanged: the server fetches no remote hosts.
  images: { unoptimized: true },
  // Browsers request this path on pages that declare no icon.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
};

export default config;
