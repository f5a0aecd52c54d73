import type { NextConfig } from 'next';

/**
 * Server packages that Node.js loads as they are. libSQL has native code; the others are large (the tokenizer's
 * vocabulary, the AI SDK), and bundling copies them into every route: that made the build seven times as long.
 */
const notBundled = [
  '@ai-sdk/openai-compatible',
  '@libsql/client',
  '@modelcontextprotocol/sdk',
  '@openrouter/ai-sdk-provider',
  '@opentelemetry/api',
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
  // Headers that depend on how the server was started, and those that every answer has, are set before Next: scripts/lib/serve.
  poweredByHeader: false,
  // `npm run dev` binds to this address; without the line Next serves its dev resources to localhost only.
  allowedDevOrigins: ['127.0.0.1'],
  // Write no files for coding agents into the project.
  agentRules: false,
  serverExternalPackages: notBundled,
  turbopack: { resolveAlias: { '@ai-sdk/gateway': { browser: './components/api/no-gateway.ts' } } },
  // Smaller server files would gain nothing: they are read once, from this disk.
  // `authInterrupts`: a page that is not for who asks answers 403.
  // Routes are loaded with their first request: all of them at the start made it a third longer, and took 240 MB.
  // `turbopackChunking`: a page is few requests, as each costs more here than the bytes of a neighbour's chunk.
  experimental: {
    serverMinification: false,
    authInterrupts: true,
    preloadEntriesOnStart: false,
    turbopackChunking: {
      minChunkSize: 3_000_000,
      maxChunkCountPerGroup: 3,
      maxMergeChunkSize: 30_000_000,
      requestCost: 50_000_000,
      priorityRoutes: [/^\/(c\/.*)?$/],
    },
  },
  // `npm test` runs tsc on the whole project, tests included; someone who only starts the app need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Images come from the site's own media and are served as they are: no fetching of remote hosts by the server.
  images: { unoptimized: true },
  // What browsers ask for on pages that name no icon of their own.
  rewrites: async () => [{ source: '/favicon.ico', destination: '/icon.svg' }],
};

export default config;
