import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

// Enabled before anything else is loaded: stores compiled code for the next start (see serve).
enableCompileCache(join(import.meta.dirname, '../.next/compiled'));

const PACKAGE = '/node_modules/drizzle-orm/';

/**
 * Loads the database library with hooks that give Node.js the path and the format of its files: otherwise it would
 * parse the package.json of 179 kB for each of the 117 files, a quarter of the processor time of a start.
 */
async function loadDatabaseLibrary(): Promise<void> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith('.') && context.parentURL?.includes(PACKAGE)
        ? { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
  await Promise.all([
    import('drizzle-orm/libsql'),
    import('drizzle-orm/libsql/migrator'),
    import('drizzle-orm/sqlite-core'),
  ]);
  hooks.deregister();
}

await loadDatabaseLibrary();
// Imported only now: static imports are loaded before the first line of a file runs.
const { exitWithMessage, exitWithParent, readEnvironment } = await import('#scripts/lib/process');
const { projectPath } = await import('#scripts/lib/project');
const { requireFreePort } = await import('#scripts/lib/listen');
const { serve, serveOptionsOf } = await import('#scripts/lib/serve');
const { openDatabase } = await import('#server/platform/database/database');

exitWithParent();
try {
  const env = readEnvironment();
  const options = serveOptionsOf(env);
  // Before the migration: after it, an older server that is still running would answer 503.
  await requireFreePort(options);
  // Migrates here, where a failure stops the start: Next continues to serve after a failed instrumentation hook.
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
  });
  await database.close();
  if (database.isNew) {
    const { createLog, warnOfNewDatabase } = await import('#server/platform/telemetry/log');
    warnOfNewDatabase(createLog(env), database.url);
  }
  const url = await serve(options);
  console.log(`Throughline is ready: ${url}`);
  const { warnOfOldBuild } = await import('#scripts/lib/source-hash');
  await warnOfOldBuild((text) => console.warn(text));
} catch (error) {
  exitWithMessage(error);
}
