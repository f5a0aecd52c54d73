import type { NextConfig } from 'next';

/**
 * Server packages that Node.js loads as they are. libSQL has native code; the others are large (the tokenizer's
 * vocabulary, the AI SDK), and bundling copies them into every route: that made the build seven times as long.
 */
const notBundled = [
  '@ai-sdk/openai-compatible',
  '@libsql/client',
  '@openrouter/ai-sdk-provider',
  'ai',
  'drizzle-orm',
  'gpt-tokenizer',
  'libsql',
  'pino',
];

const config: NextConfig = {
  poweredByHeader: false,
  // `npm run dev` binds to this address; without the line Next serves its dev resources to localhost only.
  allowedDevOrigins: ['127.0.0.1'],
  // Write no files for coding agents into the project.
  agentRules: false,
  serverExternalPackages: notBundled,
  // Smaller server files would gain nothing: they are read once, from this disk.
  experimental: { serverMinification: false },
  // `npm test` runs tsc on the whole project, tests included; someone who only starts the app need not wait for it.
  typescript: { ignoreBuildErrors: true },
  // Images come from the site's own media and are served as they are: no fetching of remote hosts by the server.
  images: { unoptimized: true },
};

export default config;
