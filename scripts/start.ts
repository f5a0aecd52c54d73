import { enableCompileCache, registerHooks } from 'node:module';
import { join } from 'node:path';

// Before anything else is loaded: what this server compiles is kept for its next start (see serve).
enableCompileCache(join(import.meta.dirname, '../.next/compiled'));

const PACKAGE = '/node_modules/drizzle-orm/';

/**
 * Loads the database library, telling Node.js where its files are and what they are: it would parse the package.json of
 * 179 kB anew for each of the 117, a quarter of the processor time of a start.
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
// Only now: what a file imports by itself is loaded before its first line runs.
const { exitWithMessage, exitWithParent, readEnvironment } = await import('#scripts/lib/process');
const { projectPath } = await import('#scripts/lib/project');
const { requireFreePort, serve, serveOptionsOf } = await import('#scripts/lib/serve');
const { openDatabase } = await import('#server/store/database');

exitWithParent();
try {
  const env = readEnvironment();
  const options = serveOptionsOf(env);
  // Before the migration: an older server that runs beside this one would answer 503 after it.
  await requireFreePort(options);
  // Migrates here, where a failure stops the start: Next serves on after a failed instrumentation hook.
  const database = await openDatabase({
    url: env.DATABASE_URL,
    authToken: env.DATABASE_AUTH_TOKEN,
    migrationsFolder: projectPath('drizzle'),
  });
  await database.close();
  if (database.isNew) {
    const { createLog, warnOfNewDatabase } = await import('#server/observability/log');
    warnOfNewDatabase(createLog(env), database.url);
  }
  const url = await serve(options);
  console.log(`Throughline is ready: ${url}`);
  const { warnOfOldBuild } = await import('#scripts/lib/source-hash');
  await warnOfOldBuild((text) => console.warn(text));
} catch (error) {
  exitWithMessage(error);
}
